import { z } from 'zod'

import type { Flags } from './flags.ts'

export interface Settings {
  readonly port: number
  readonly host: string
  /** The folder of the databases. */
  readonly data: string
  /** The address that people open; with https, one that their phones can reach. */
  readonly publicUrl: string
  /** Whether a separate service is used, see `MFA_BASE_URL`. */
  readonly hosted: boolean
  /** The page about the certificate; undefined without https. */
  readonly trust: { readonly url: string; readonly port: number } | undefined
}

const allAddresses = '0.0.0.0'

const Environment = z.object({
  PORT: z.coerce
    .number('PORT or --port must be a number')
    .int('PORT or --port must be a number')
    .min(1, portRange())
    .max(65_534, portRange())
    .default(3000),
  // Node listens on all addresses if the text is empty, as that of a variable is that was not set.
  HOST: z.string().min(1, 'HOST or --host must be an address, such as 127.0.0.1, or 0.0.0.0 for all').optional(),
  DATA: z.string().min(1, 'DATA must name a folder').default('.data'),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'PUBLIC_URL must be an address such as https://app.example' })
    .optional(),
  MFA_BASE_URL: z.string().optional(),
})

/**
 * @param lan This computer's addresses in its networks, best first.
 * @throws {Error} with a message for the person who set the variable or the flag.
 */
export function readSettings(environment: NodeJS.ProcessEnv, flags: Flags, lan: readonly string[]): Settings {
  const parsed = Environment.safeParse({
    ...environment,
    ...(flags.port !== undefined && { PORT: flags.port }),
    ...(flags.host !== undefined && { HOST: flags.host }),
  })
  if (!parsed.success) throw new Error(parsed.error.issues.map((issue) => issue.message).join('; '))
  const { PORT: port, HOST, DATA: data, PUBLIC_URL: publicUrl, MFA_BASE_URL: hosted } = parsed.data
  const host = HOST ?? (flags.https ? allAddresses : '127.0.0.1')
  const ownAddress = flags.https ? `https://${reachable(host, lan)}:${port}` : `http://localhost:${port}`
  const url = publicUrl?.replace(/\/+$/, '') ?? ownAddress
  if (flags.https && !url.startsWith('https:'))
    throw new Error('PUBLIC_URL must start with https:// when --https is set')
  const trust = flags.https ? { url: `http://${reachable(host, lan)}:${port + 1}/trust`, port: port + 1 } : undefined
  return { port, host, data, publicUrl: url, hosted: Boolean(hosted), trust }
}

/** The address by which a phone can reach this computer; otherwise one that works only here. */
function reachable(host: string, lan: readonly string[]): string {
  if (host !== allAddresses && host !== '::') return host.includes(':') ? `[${host}]` : host
  return lan[0] ?? 'localhost'
}

function portRange(): string {
  return 'PORT or --port must be between 1 and 65534'
}
