import { z } from 'zod'

export interface Settings {
  readonly port: number
  readonly host: string
  /** Folder of the databases. */
  readonly data: string
  readonly publicUrl: string
  /** Whether the service is somewhere else, as `MFA_BASE_URL` says. */
  readonly hosted: boolean
}

const Environment = z.object({
  PORT: z.coerce
    .number('PORT must be a number')
    .int('PORT must be a number')
    .min(1, portRange())
    .max(65_535, portRange())
    .default(3000),
  HOST: z.string().default('127.0.0.1'),
  DATA: z.string().min(1, 'DATA must name a folder').default('.data'),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'PUBLIC_URL must be an address such as https://app.example' })
    .optional(),
  MFA_BASE_URL: z.string().optional(),
})

/** @throws {Error} whose message is for whoever set the variable. */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const parsed = Environment.safeParse(environment)
  if (!parsed.success) throw new Error(parsed.error.issues.map((issue) => issue.message).join('; '))
  const { PORT: port, HOST: host, DATA: data, PUBLIC_URL: publicUrl, MFA_BASE_URL: hosted } = parsed.data
  return {
    port,
    host,
    data,
    publicUrl: publicUrl?.replace(/\/+$/, '') ?? `http://localhost:${port}`,
    hosted: Boolean(hosted),
  }
}

function portRange(): string {
  return 'PORT must be between 1 and 65535'
}
