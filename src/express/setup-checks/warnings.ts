import type { FrameworkRequest } from '../framework/request.ts'
import { isLoopback } from '../options/authenticator-url.ts'
import type { ResolvedOptions } from '../options/options.ts'
import { warn } from '../request/warn.ts'
import { paleAccents } from '../options/accent.ts'

/** Detects a setup that works but is probably not intended. @returns what it is, and how to fix it. */
export type Check = (req: FrameworkRequest, options: ResolvedOptions) => string | undefined

const checks: readonly Check[] = [memoryStore, plainServiceUrl, plainPublicUrl, sharedOrigin, paleAccent]

/**
 * Checks the app once, at its first request, and logs what is probably wrong.
 * @param ofFramework The checks that read what only this framework has.
 */
export function createWarner(options: ResolvedOptions, ofFramework: readonly Check[]): (req: FrameworkRequest) => void {
  let hasLooked = false
  return (req) => {
    if (hasLooked) return
    hasLooked = true
    for (const check of [...ofFramework, ...checks]) {
      const warning = check(req, options)
      if (warning !== undefined) warn(options, warning)
    }
  }
}

function memoryStore(req: FrameworkRequest): string | undefined {
  const { sessionStore } = req as FrameworkRequest & { sessionStore?: object }
  if (process.env['NODE_ENV'] !== 'production' || sessionStore?.constructor.name !== 'MemoryStore') return undefined
  return 'web sessions are kept in memory: they are lost at each start and are not shared. Give session({ store }).'
}

function plainServiceUrl(_req: FrameworkRequest, { serviceUrl }: ResolvedOptions): string | undefined {
  if (!isPlain(serviceUrl)) return undefined
  return 'the service is asked over plain http, where its API key can be read on the way. Use https in service.baseUrl.'
}

function plainPublicUrl(_req: FrameworkRequest, { publicUrl }: ResolvedOptions): string | undefined {
  if (process.env['NODE_ENV'] !== 'production' || !isPlain(publicUrl)) return undefined
  return (
    'publicUrl is plain http, where cookies and codes can be read on the way, and browsers give the authenticator no ' +
    'keys. Serve the app over https, and write that.'
  )
}

/** Whether an address is unencrypted and leaves this machine. */
function isPlain(address: string | undefined): boolean {
  const url = address === undefined ? null : URL.parse(address)
  return url?.protocol === 'http:' && !isLoopback(url)
}

function sharedOrigin(_req: FrameworkRequest, { routes, authenticatorUrl }: ResolvedOptions): string | undefined {
  if (process.env['NODE_ENV'] !== 'production' || !routes || authenticatorUrl !== undefined) return undefined
  return (
    'the authenticator is on the app’s own origin, where a script that gets into the app can use the keys of devices. ' +
    'Give it an origin of its own: authenticatorUrl.'
  )
}

function paleAccent(_req: FrameworkRequest, { accent }: ResolvedOptions): string | undefined {
  const pale = accent ? paleAccents(accent) : []
  if (pale.length === 0) return undefined
  return `the accent is hard to read (${pale.join(', ')}): choose one with a contrast of 4.5:1 or more.`
}
