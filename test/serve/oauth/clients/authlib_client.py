"""Signs in with Authlib as its integrations of frameworks do: `begin ISSUER`, then `finish ISSUER REDIRECT CODE NONCE`."""
import json
import sys

from authlib.integrations.base_client.sync_app import BaseApp, OAuth2Mixin
from authlib.integrations.base_client.sync_openid import OpenIDMixin
from authlib.integrations.requests_client import OAuth2Session


class App(OAuth2Mixin, OpenIDMixin, BaseApp):
    client_cls = OAuth2Session


verb, issuer, client_id, secret, scope, redirect, *rest = sys.argv[1:]
app = App(
    None,
    "tieout",
    client_id=client_id,
    client_secret=secret,
    server_metadata_url=f"{issuer}/.well-known/openid-configuration",
    client_kwargs={"scope": scope},
)
if verb == "begin":
    begun = app.create_authorization_url(redirect)
    print(json.dumps({"url": begun["url"], "nonce": begun["nonce"]}))
else:
    code, nonce = rest
    token = app.fetch_access_token(redirect, code=code)
    claims = app.parse_id_token(token, nonce)
    print(json.dumps({**token, "name": claims["name"], "user": dict(app.userinfo(token=token))}))
