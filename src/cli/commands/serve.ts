import { Command, InvalidArgumentError, Option } from 'commander'

import { systemClock } from '../../clock.ts'
import type { Logger } from '../../service/ground/logger.ts'
import type { InterfaceWords } from '../../service/ground/interface-words.ts'
import { keyFileOf } from '../../service/keys/key-file.ts'
import { ServiceOptions } from '../../service/options.ts'
import { TrustProxy } from '../../service/rules/trust-proxy.ts'
import { createService } from '../../service/service.ts'
import type { Service } from '../../service/service.ts'
import { databaseOption } from '../admin/command.ts'
import { ending, Failure } from '../device/failure.ts'
import { isUrl, needDatabase } from '../service/database-name.ts'
import { createLogger, logLevels } from '../service/logger.ts'
import type { LogLevel } from '../service/logger.ts'
import { secretFilesHelp } from '../service/secret-files.ts'
import { smtpFromEnv, smtpHelp } from '../service/smtp-from-env.ts'
import { secretsFromEnv, secretsHelp } from '../service/secrets-from-env.ts'
import { endOnSignal } from '../service/end-on-signal.ts'
import { takeInheritedSocket } from '../service/inherited-socket.ts'
import { interfaceOptions, interfaceWordsOf, usualWords } from '../service/interface-options.ts'
import { openDoors, place } from '../service/open-doors.ts'
import { opening } from '../service/opening.ts'
import { readTls, reloadTlsOnSignal, tlsHelp, warnOfExpiry } from '../service/tls-files.ts'
import type { TlsFiles } from '../service/tls-files.ts'
import { limitOptions, limitsOf, numberFlag } from './limit-flags.ts'

interface Settings extends InterfaceWords, TlsFiles {
  readonly database: string
  readonly port: number
  readonly host: string
  readonly logLevel: LogLevel
  readonly logRequests: boolean
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly drainSeconds: number
  readonly auditRetention: number
  readonly listenDatabase?: string | undefined
  readonly trustProxy?: TrustProxy
  readonly push: boolean
  readonly pushSubject?: string
  readonly metricsPort?: number
  readonly metricsToken?: string
}

/** The service on a port of its own. */
export function serveCommand(): Command {
  const command = new Command('serve')
    .description('run the service: REST interface, device protocol and authenticator')
    .addOption(databaseOption())
    .option('--port <number>', 'where to listen; 0 for any port that is free', parsePort, 8787)
    .option('--host <address>', 'on which address', '127.0.0.1')
    .addOption(new Option('--tls-cert <file>', 'serve HTTPS with this certificate').env('MFA_TLS_CERT'))
    .addOption(new Option('--tls-key <file>', 'the private key of --tls-cert').env('MFA_TLS_KEY'))
    .addOption(
      new Option('--log-level <level>', 'what to log, as JSON lines on stderr').choices(logLevels).default('info'),
    )
    .option('--log-requests', 'log a line for each request as well, level info', false)
    .option('--headers-timeout <seconds>', 'how long the head of a request may take; 1 to 9999', parseSeconds, 10)
    .option('--request-timeout <seconds>', 'how long a whole request may take; 1 to 9999', parseSeconds, 30)
    .option(
      '--drain-seconds <seconds>',
      'after SIGTERM, how long to tell load balancers (/readyz answers 503) and end connections before the end; 0 to 9999',
      parseDrain,
      5,
    )
    .addOption(
      numberFlag(
        'auditRetention',
        { unit: 'days', description: 'how long entries of the audit trail are kept' },
        ServiceOptions.shape.auditRetention,
      ),
    )
    .addOption(
      new Option(
        '--listen-database <address>',
        "PostgreSQL's own address, where --database is a pooler that lends connections by transaction",
      ).env('MFA_LISTEN_DATABASE'),
    )
    .option(
      '--trust-proxy <proxies>',
      'whose X-Forwarded-For to believe: how many proxies there are, or their networks, such as loopback,10.0.0.0/8,fd00::/8',
      parseTrustProxy,
    )
    .option('--push-subject <address>', 'whom push services can ask about our messages: mailto:you@mfa.example')
    .option('--no-push', 'send no push messages: people then have to open the authenticator by hand')
    .option('--metrics-port <number>', 'serve /metrics for Prometheus on this port, without a token', parsePort)
    .addOption(
      new Option('--metrics-token <token>', 'serve /metrics beside the rest, for who sends this Bearer token').env(
        'MFA_METRICS_TOKEN',
      ),
    )
  const words = interfaceOptions((name) => `as init stored it, else ${usualWords[name]}`)
  for (const option of [...words, ...limitOptions()]) command.addOption(option)
  return command
    .addHelpText('after', examples + smtpHelp + secretsHelp + secretFilesHelp + tlsHelp + signalsHelp)
    .action(ending(serve))
}

async function serve(settings: Settings): Promise<void> {
  const { database } = settings
  needDatabase(database)
  if (settings.headersTimeout > settings.requestTimeout) {
    throw new Failure('The head of a request is a part of it: --headers-timeout cannot be the longer one.', 2)
  }
  const socket = takeInheritedSocket(process.env, process.pid)
  const logger = await createLogger(settings.logLevel)
  const tls = readTls(settings)
  if (tls) warnOfExpiry(tls, logger, systemClock.now())
  const service = await opening(database, () => createService(serviceOptions(settings, logger)))
  const [main, metrics] = await openDoors(service, { ...settings, socket, tls })
  const doors = metrics ? [main, metrics] : [main]
  if (tls) reloadTlsOnSignal(settings, main, logger)
  saveKeysOnSignal(service, database, logger)
  // The next process takes over an inherited socket; without one, new requests have to go to another node.
  const drain = () => service.drain({ serveNew: socket !== undefined })
  endOnSignal({
    drainSeconds: settings.drainSeconds,
    drain() {
      logger.info({ seconds: settings.drainSeconds, inheritedSocket: socket !== undefined }, 'draining before the end')
      drain()
      for (const door of doors) door.drain()
    },
    async close() {
      drain()
      // The service last: connections that were accepted already may still carry a request.
      await Promise.all(doors.map((door) => door.close()))
      await service.close()
    },
  })
  const origin = `${tls ? 'https' : 'http'}://${place(main)}`
  const figures = metrics ? `, metrics at http://${place(metrics)}/metrics` : ''
  console.log(`second-factor listens on ${origin} (REST interface at ${origin}${service.basePath}${figures})`)
}

function serviceOptions(settings: Settings, logger: Logger): ServiceOptions {
  const { database, metricsPort, metricsToken } = settings
  const { basePath, ...vendor } = interfaceWordsOf(settings)
  return {
    database,
    basePath,
    vendor,
    listenDatabase: settings.listenDatabase || undefined,
    auditRetention: settings.auditRetention,
    trustProxy: settings.trustProxy,
    limits: limitsOf(settings),
    push: settings.push && (settings.pushSubject === undefined ? {} : { subject: settings.pushSubject }),
    logger,
    logRequests: settings.logRequests,
    ...secretsFromEnv(process.env),
    ...smtpFromEnv(process.env),
    ...((metricsPort !== undefined || metricsToken !== undefined) && { metrics: { token: metricsToken } }),
  }
}

/** SIGUSR2 saves the keys that the service holds, for when their file was lost while it runs. */
function saveKeysOnSignal(service: Service, database: string, logger: Logger): void {
  process.on('SIGUSR2', () => {
    if (isUrl(database) || process.env.MFA_KEYS) {
      return logger.error({}, 'the keys were not saved: they come from MFA_KEYS and are in no file')
    }
    const file = `${keyFileOf(database)}.saved-${systemClock.now()}`
    void service.saveKeys(file).then(
      () => logger.warn({ file }, 'the keys were saved to a new file; move it into place and keep it secret'),
      (error: unknown) => logger.error({ err: error, file }, 'the keys were not saved'),
    )
  })
}

function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('A port is a number to 65535.')
  return Number(text)
}

function parseTrustProxy(text: string): TrustProxy {
  const parsed = TrustProxy.safeParse(text)
  if (!parsed.success) throw new InvalidArgumentError(`It ${parsed.error.issues[0]?.message ?? 'is invalid'}.`)
  return parsed.data
}

function parseDrain(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('Expected a number of seconds, 0 to 9999.')
  return Number(text)
}

function parseSeconds(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('Expected a number of seconds, 1 to 9999.')
  return Number(text)
}

const signalsHelp = `

Socket activation (systemd.socket(5)):
  LISTEN_FDS, LISTEN_PID   serve takes the listening socket that systemd passes, instead of --host and --port, and systemd
                           keeps it open over a restart: no connection is reset. One ListenStream=, Accept=no, and
                           ExecStart= has to run Node itself. The service unit needs TimeoutStopSec= longer than
                           --drain-seconds, and a proxy in front has to close idle connections sooner than that:
                           keepalive_timeout of nginx's upstream block. Without a passed socket, requests that begin
                           something are answered 503 while draining, for a proxy to send to the next node.

Signals:
  SIGTERM                  drain for --drain-seconds, then end in order; a second signal ends at once
  SIGINT                   end in order without draining; a second signal ends at once
  SIGHUP                   with --tls-cert: read certificate and key again
  SIGUSR2                  save the keys the service holds to a new file beside the database`

const examples = `
Examples:
  $ second-factor serve --database mfa.sqlite
  $ second-factor serve --database /var/lib/mfa.sqlite --host 0.0.0.0 --port 8443 --trust-proxy loopback`
