"""Workers anywhere: they fetch runs over HTTP, and work them with handlers of their own."""
