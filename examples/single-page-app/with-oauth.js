/**
 * For a page that calls an API with access tokens, such as `oauth-api.js`: the authorization code flow with PKCE (RFC 7636), and the step-up
 * that an API asks for (RFC 9470). The token stays in memory.
 */

/** Replace them with those of your authorization server and your page. */
export const settings = {
  authorizationEndpoint: 'https://login.example/authorize',
  tokenEndpoint: 'https://login.example/token',
  clientId: 'my-page',
  redirectUri: 'https://page.example/signed-in',
  scope: 'openid pay',
}

let accessToken
/** What the last sign-in was asked for. */
let given

/** Like `fetch()`, with the token. Where the API asks for another sign-in, the page leaves and comes back. */
export async function callApi(address, init = {}) {
  const headers = { ...init.headers, Authorization: `Bearer ${accessToken}` }
  const response = await fetch(address, { ...init, headers })
  const asked = stepUpIn(response.headers.get('WWW-Authenticate') ?? '')
  if (!asked) return response
  // The sign-in that was asked for has just come back: the user or the authorization server cannot give more.
  if (JSON.stringify(asked) === given)
    throw new Error('This needs a sign-in that you do not have. Ask your administrator.')
  await signIn(asked)
  return response
}

/** What an API asks of the authorization server; undefined if it asks for no step-up. */
export function stepUpIn(challenge) {
  if (!challenge.includes('error="insufficient_user_authentication"')) return undefined
  const asked = [...challenge.matchAll(/(acr_values|max_age)="([^"]*)"/g)]
  return Object.fromEntries(asked.map(([, name, value]) => [name, value]))
}

/** Leads to the authorization server. */
export async function signIn(asked = {}) {
  const { clientId: client_id, redirectUri: redirect_uri, scope } = settings
  const [verifier, state] = [random(), random()]
  sessionStorage.setItem('sign-in', JSON.stringify({ verifier, state, asked, page: location.href }))
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const proof = { code_challenge: base64url(new Uint8Array(digest)), code_challenge_method: 'S256' }
  const query = { response_type: 'code', client_id, redirect_uri, scope, state, ...proof, ...asked }
  location.assign(`${settings.authorizationEndpoint}?${new URLSearchParams(query)}`)
}

/** At `redirectUri`: gets the token. Returns the page that the user came from, to continue there. */
export async function finishSignIn() {
  const { verifier: code_verifier, state, asked, page } = JSON.parse(sessionStorage.getItem('sign-in') ?? '{}')
  const answer = new URLSearchParams(location.search)
  if (state === undefined || answer.get('state') !== state) throw new Error('This sign-in was not started here.')
  const { clientId: client_id, redirectUri: redirect_uri, tokenEndpoint } = settings
  const form = { grant_type: 'authorization_code', code: answer.get('code'), client_id, redirect_uri, code_verifier }
  const error = answer.get('error')
  if (error) throw new Error(`The authorization server refused the sign-in: ${error}`)
  const response = await fetch(tokenEndpoint, { method: 'POST', body: new URLSearchParams(form) })
  if (!response.ok) throw new Error(`The authorization server answered ${response.status}.`)
  given = JSON.stringify(asked)
  accessToken = (await response.json()).access_token
  return page
}

const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (character) => ({ '+': '-', '/': '_' })[character] ?? '')
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)))
