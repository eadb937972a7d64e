"""Does what every route needs: who asks, how much, bodies, plans, pages, repetitions.

Begin with `routes.py`.
"""
