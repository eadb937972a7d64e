"""What a schedule means: text becomes masks, masks become instants, instants become English.

Begin with `schedule.py`. Pure: nothing here imports another room.
"""
