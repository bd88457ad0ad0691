import type { FrameworkRequest } from '../framework/request.ts'
import type { ResolvedOptions } from '../options/options.ts'
import { covers } from '../request/public-path.ts'

/** A request of Express. Others have no `app` with layers. */
type RequestOfApp = FrameworkRequest & { readonly app?: unknown }

interface Layer {
  readonly route?: { readonly path?: unknown; readonly stack?: readonly Layer[] }
  readonly handle?: { readonly name?: string }
}

/** Warns of routes that were added before `mfa()` and do not look like those that signed-out users need. */
export function ungatedRoutes({ app }: RequestOfApp, options: ResolvedOptions): string | undefined {
  if (!options.gate) return undefined
  const layers = layersOf(app)
  const handlerIndex = layers.findIndex(({ handle }) => handle?.name === 'mfaHandler')
  const paths = layers
    .slice(0, Math.max(0, handlerIndex))
    .filter((layer) => !isLogin(layer))
    .flatMap(({ route }) => (route ? [route.path].flat().map(String) : []))
    .filter((path) => !isOpenToAll(path) && !options.public.some((entry) => covers(entry, path)))
  const [first] = paths
  if (first === undefined) return undefined
  const examples = paths.slice(0, 5).join(', ')
  return (
    `these routes come before app.use(mfa()) and are not gated: ${examples}. Move mfa() before what it is to gate, and ` +
    `list what is open on purpose: public: ['${first}'].`
  )
}

/**
 * Warns if the gate stops a POST to a route of `passport.authenticate()`: a code in it is never read, and users who have not
 * passed the second step cannot sign in as another user.
 */
export function gatedLogin({ app, method, path, baseUrl }: RequestOfApp): string | undefined {
  const isStopped = method === 'POST' && layersOf(app).some((layer) => layer.route?.path === path && isLogin(layer))
  if (!isStopped || baseUrl !== '') return undefined
  return `POST ${path} was stopped by the gate before passport.authenticate() ran. Leave it open: public: ['${path}'].`
}

/** Express 4 has the routes in `_router`, where reading `router` throws; Express 5 in `router`. Neither is in its types. */
function layersOf(app: unknown = {}): readonly Layer[] {
  const { _router: old } = app as { _router?: unknown }
  const router = old ?? (app as { router?: unknown }).router
  const stack = (router as { stack?: unknown } | undefined)?.stack
  return Array.isArray(stack) ? (stack as Layer[]) : []
}

/** A route with a handler of `passport.authenticate()` signs users in, whatever its path. */
function isLogin({ route }: Layer): boolean {
  return route?.stack?.some(({ handle }) => handle?.name === 'authenticate') ?? false
}

const isOpenToAll = (path: string): boolean =>
  [waysIn, callbacks, forMachines, files, catchAll].some((kind) => kind.test(path))

/**
 * A route for every path, as Express 4 (`*`), Express 5 (`/{*any}`) and regular expressions write it. It passes requests on, such as
 * one that sets a header: otherwise `mfa()` would see none.
 */
const catchAll = /^\/?(\*|\(\.\*\)|\*\w+|\{\/?\*\w+\})$|^\/\^?(\\\/)?\.[*+]\$?\/[a-z]*$/

const waysIn =
  /\/((log|sign)-?_?(in|out|up|on|off)|register|(forgot|reset)(-?password)?)([/_-]|$)|^\/(magic(-?link)?|password|verify(-?email)?)(\/|$)/i

/** Paths that identity providers redirect to. */
const callbacks = /^\/(auth|oauth2?|oidc|openid|saml2?|sso|passkeys?|webauthn)(\/|$)|\/(cb|callback|acs)$/i

const forMachines = /^\/(health|healthz|livez|ready|readyz|ping|metrics|version|\.well-known|csp-report)(\/|$)/i

const files = /\.[a-z\d]{2,12}$|^\/(assets|css|fonts?|images?|img|js|public|static)(\/|$)/i
