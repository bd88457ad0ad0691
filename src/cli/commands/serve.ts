import { Command, InvalidArgumentError, Option } from 'commander'

import type { Logger } from '../../service/context.ts'
import { vendorLabel } from '../../service/http/answer.ts'
import { listen } from '../../service/http/listen.ts'
import type { Listening } from '../../service/http/listen.ts'
import type { ServiceOptions } from '../../service/options.ts'
import { createService } from '../../service/service.ts'
import type { Service } from '../../service/service.ts'
import { ending, Failure } from '../device/failure.ts'
import { needDatabase } from '../service/database-name.ts'
import { createLogger, logLevels } from '../service/logger.ts'
import type { LogLevel } from '../service/logger.ts'
import { smtpFromEnv, smtpHelp } from '../service/smtp-from-env.ts'
import { secretsFromEnv, secretsHelp } from '../service/secrets-from-env.ts'
import { opening } from '../service/opening.ts'

interface Settings {
  readonly database: string
  readonly port: number
  readonly host: string
  readonly basePath: string
  readonly scheme: string
  readonly mediaType: string
  readonly logLevel: LogLevel
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly auditRetention: number
  readonly push: boolean
  readonly pushSubject?: string
  readonly metricsPort?: number
  readonly metricsToken?: string
}

/** The service on a port of its own. */
export function serveCommand(): Command {
  return new Command('serve')
    .description('run the service: REST interface, device protocol and authenticator')
    .requiredOption('--database <file>', 'path of the database that `init` made')
    .option('--port <number>', 'where to listen; 0 for any port that is free', parsePort, 8787)
    .option('--host <address>', 'on which address', '127.0.0.1')
    .option('--base-path <path>', 'where the REST interface begins', '/api')
    .option('--scheme <word>', 'scheme word of the Authorization header', 'Service')
    .option('--media-type <word>', 'x stands for application/vnd.x.v1+json', 'service')
    .addOption(
      new Option('--log-level <level>', 'what to log, as JSON lines on stderr').choices(logLevels).default('warn'),
    )
    .option('--headers-timeout <seconds>', 'how long the head of a request may take', parseSeconds, 10)
    .option('--request-timeout <seconds>', 'how long a whole request may take', parseSeconds, 30)
    .option('--audit-retention <days>', 'how long entries of the audit trail are kept', parseDays, 365)
    .option('--push-subject <address>', 'whom push services can ask about our messages: mailto:you@mfa.example')
    .option('--no-push', 'send no push messages: people then have to open the authenticator by hand')
    .option('--metrics-port <number>', 'serve /metrics for Prometheus on this port, without a token', parsePort)
    .addOption(
      new Option('--metrics-token <token>', 'serve /metrics beside the rest, for who sends this Bearer token').env(
        'MFA_METRICS_TOKEN',
      ),
    )
    .addHelpText('after', examples + smtpHelp + secretsHelp)
    .action(ending(serve))
}

async function serve(settings: Settings): Promise<void> {
  const { database, basePath } = settings
  needDatabase(database)
  if (settings.headersTimeout > settings.requestTimeout) {
    throw new Failure('The head of a request is a part of it: --headers-timeout cannot be the longer one.', 2)
  }
  const logger = await createLogger(settings.logLevel)
  const service = await opening(database, () => createService(serviceOptions(settings, logger)))
  const doors = await openDoors(service, settings)
  onSignal(async () => {
    const gone = Promise.all(doors.map((door) => door.close()))
    await service.close()
    await gone
  })
  const [main, metrics] = doors.map(address)
  const figures = metrics === undefined ? '' : `, metrics at ${metrics}/metrics`
  console.log(`second-factor listens on ${main} (REST interface at ${main}${basePath}${figures})`)
}

function serviceOptions(settings: Settings, logger: Logger): ServiceOptions {
  const { database, basePath, scheme, mediaType, metricsPort, metricsToken } = settings
  return {
    database,
    basePath,
    vendor: { scheme, mediaType },
    auditRetention: settings.auditRetention,
    push: settings.push && (settings.pushSubject === undefined ? {} : { subject: settings.pushSubject }),
    logger,
    logRequests: true,
    ...secretsFromEnv(process.env),
    ...smtpFromEnv(process.env),
    ...((metricsPort !== undefined || metricsToken !== undefined) && { metrics: { token: metricsToken } }),
  }
}

/** The service's own door first; all of them, or none. */
async function openDoors(service: Service, settings: Settings): Promise<Listening[]> {
  const { host, port, scheme, mediaType, metricsPort } = settings
  const label = vendorLabel({ scheme, mediaType }, '1.3')
  const timeouts = { headers: settings.headersTimeout * 1000, request: settings.requestTimeout * 1000 }
  const wanted = [{ listener: service.listener, port }]
  if (service.metrics && metricsPort !== undefined) wanted.push({ listener: service.metrics, port: metricsPort })
  const doors: Listening[] = []
  for (const door of wanted) {
    try {
      doors.push(await listen(door.listener, { host, port: door.port, timeouts, label }))
    } catch (error) {
      await Promise.all([...doors.map((open) => open.close()), service.close()])
      throw cannotListen({ host, port: door.port }, error)
    }
  }
  return doors
}

/** The first signal ends in order, the second at once. */
function onSignal(close: () => Promise<void>): void {
  let closing = false
  const end = () => {
    if (closing) process.exit(1)
    closing = true
    void close().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.on('SIGTERM', end).on('SIGINT', end)
}

function cannotListen({ host, port }: { host: string; port: number }, cause: unknown): Failure {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  const reasons: Record<string, string> = {
    EADDRINUSE: 'something else listens there. Choose another with --port.',
    EACCES: 'it is not allowed. Choose a port above 1023 with --port.',
    EADDRNOTAVAIL: 'this machine does not have the address. Choose another with --host.',
    ENOTFOUND: 'there is no such address. Choose another with --host.',
  }
  const reason = reasons[String(code)] ?? 'for an unknown reason.'
  return new Failure(`Cannot listen on ${address({ host, port })}: ${reason}`, undefined, { cause })
}

const address = ({ host, port }: { host: string; port: number }) =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('A port is a number to 65535.')
  return Number(text)
}

function parseDays(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('Days are a number from 1 to 9999.')
  return Number(text)
}

function parseSeconds(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('Seconds are a number from 1 to 9999.')
  return Number(text)
}

const examples = `
Examples:
  $ second-factor serve --database mfa.sqlite
  $ second-factor serve --database /var/lib/mfa.sqlite --host 0.0.0.0 --port 8443 --log-level info`
