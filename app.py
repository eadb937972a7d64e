"""Defines the CDK app: one stack, so that `cdk deploy` is the whole deployment."""

from aws_cdk import App

from infra import bundle, lint, owned
from infra.outputs import stack_name
from infra.settings import Settings
from infra.stack import OnTheDot
from onthedot.sdk.manifest import manifest

# A handler that cannot be imported, or has a wrong declaration, fails here and not when it is due.
manifest()
app = App()
settings = Settings.read(app.node)
stack = OnTheDot(
    app, stack_name(settings.stage), settings=settings, packages=bundle.packages(settings)
)
owned.mark(stack, settings)
if app.node.try_get_context("lint"):
    lint.check(app, stack)
app.synth()
