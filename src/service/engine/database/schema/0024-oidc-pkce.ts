/** Whether the OpenID provider accepts `nonce` in place of PKCE from a client: `required` or `nonce`. */
export const oidcPkce: readonly string[] = ["alter table oidc_client add column pkce text default 'required' not null"]
