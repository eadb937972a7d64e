"""The CDK app: one stack, so that `cdk deploy` is the whole deployment."""

from aws_cdk import App

from infra.stack import OnTheDot

app = App()
OnTheDot(app, "OnTheDot")
app.synth()
