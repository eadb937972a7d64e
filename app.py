"""The CDK app: one stack, so that `cdk deploy` is the whole deployment."""

from aws_cdk import App

from infra import bundle
from infra.settings import Settings
from infra.stack import OnTheDot

app = App()
settings = Settings.read(app.node)
OnTheDot(app, "OnTheDot", settings=settings, packages=bundle.packages(settings))
app.synth()
