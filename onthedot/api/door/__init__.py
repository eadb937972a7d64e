"""What holds for every route: who asks, how much, bodies, plans, pages, repetitions.

Begin with `routes.py`.
"""
