"""The verbs: effects in an order that is itself a decision."""
