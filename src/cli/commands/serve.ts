import { Command, InvalidArgumentError, Option } from 'commander'

import { commandClock, pause, systemClock } from '../../ground/clock.ts'
import type { Logger } from '../../service/engine/base/logger.ts'
import type { InterfaceWords } from '../../service/engine/base/interface-words.ts'
import { keyFileOf } from '../../service/engine/secrets/key-file.ts'
import { ServiceOptions } from '../../service/options.ts'
import { TrustProxy } from '../../service/engine/http/trust-proxy.ts'
import { createService } from '../../service/service.ts'
import type { Service } from '../../service/service.ts'
import { warmUp } from '../../service/warm-up.ts'
import { authenticatorUrlOption } from '../admin/authenticator-url.ts'
import { databaseOption, examplesHelp } from '../admin/command.ts'
import { isUrl, withOpenErrors } from '../database/failures.ts'
import { requireDatabase } from '../database/open.ts'
import { consoleOf, consoleOptions } from '../serve/console-options.ts'
import type { ConsoleSettings } from '../serve/console-options.ts'
import { endOnSignal } from '../serve/end-on-signal.ts'
import { takeInheritedSocket } from '../serve/inherited-socket.ts'
import { interfaceOptions, interfaceWordsOf, defaultWords } from '../serve/interface-options.ts'
import { limitOptions, limitsOf, numberFlag } from '../serve/limit-flags.ts'
import { oidcOptions, openOidc } from '../serve/oidc.ts'
import type { OidcSettings } from '../serve/oidc.ts'
import { createLogger, logLevels } from '../serve/logger.ts'
import type { LogLevel } from '../serve/logger.ts'
import { authority, hostOption, openListeners, portOption } from '../serve/listeners.ts'
import { secretFilesHelp } from '../serve/secret-files.ts'
import { environmentHelp, notifyFromEnv, secretsFromEnv, sendersFromEnv } from '../serve/settings-from-env.ts'
import { readTls, reloadTlsOnSignal, tlsHelp, warnOfExpiry } from '../serve/tls-files.ts'
import type { TlsFiles } from '../serve/tls-files.ts'
import { exitCode, Failure, withErrorHandling } from '../terminal/failure.ts'
import { integer } from '../terminal/parse.ts'

interface Settings extends InterfaceWords, TlsFiles, ConsoleSettings, OidcSettings {
  readonly database: string
  readonly port: number
  readonly host: string
  readonly logLevel: LogLevel
  readonly logRequests: boolean
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly drainSeconds: number
  readonly auditRetention: number
  readonly approvalRetention: number
  readonly listenDatabase?: string | undefined
  readonly trustProxy?: TrustProxy
  readonly push: boolean
  readonly pushSubject?: string
  readonly refuseClonedPasskeys: boolean
  readonly metricsPort?: number
  readonly metricsToken?: string
  readonly authenticatorUrl?: string
}

/** `second-factor serve`. */
export function serveCommand(): Command {
  const command = new Command('serve')
    .description('run the service: REST interface, device protocol and authenticator')
    .optionsGroup('Database:')
    .addOption(databaseOption())
    .addOption(
      new Option(
        '--listen-database <address>',
        'direct address of PostgreSQL, if --database is a connection pooler in transaction mode',
      ).env('MFA_LISTEN_DATABASE'),
    )
    .addOption(
      numberFlag(
        'auditRetention',
        { unit: 'days', description: 'retention of the audit trail' },
        ServiceOptions.shape.auditRetention,
      ),
    )
    .addOption(
      numberFlag(
        'approvalRetention',
        { unit: 'days', description: 'retention of approvals and their proofs' },
        ServiceOptions.shape.approvalRetention,
      ),
    )
    .optionsGroup('Connections:')
    .addOption(portOption('port to listen on; 0 for any free port'))
    .addOption(hostOption())
    .addOption(new Option('--tls-cert <file>', 'PEM certificate for HTTPS').env('MFA_TLS_CERT'))
    .addOption(new Option('--tls-key <file>', 'PEM private key of --tls-cert').env('MFA_TLS_KEY'))
    .option(
      '--trust-proxy <proxies>',
      'proxies whose X-Forwarded-For is trusted: their number, or their networks, such as loopback,10.0.0.0/8,fd00::/8',
      parseTrustProxy,
    )
    .option('--headers-timeout <seconds>', 'timeout for the headers of a request; 1 to 9999', integer(1, 9_999), 10)
    .option('--request-timeout <seconds>', 'timeout for a whole request; 1 to 9999', integer(1, 9_999), 30)
    .option(
      '--drain-seconds <seconds>',
      'time after SIGTERM to let load balancers notice (/readyz returns 503) and close connections; 0 to 9999',
      integer(0, 9_999),
      5,
    )
    .optionsGroup('Logs and metrics:')
    .addOption(
      new Option('--log-level <level>', 'minimum log level (JSON lines on stderr)').choices(logLevels).default('info'),
    )
    .option('--log-requests', 'also log each request, at level info', false)
    .option(
      '--metrics-port <number>',
      'serve /metrics for Prometheus on this port, without a token',
      integer(0, 65_535),
    )
    .addOption(
      new Option('--metrics-token <token>', 'serve /metrics on the main port too, with this Bearer token').env(
        'MFA_METRICS_TOKEN',
      ),
    )
    .optionsGroup('Devices and passkeys:')
    .addOption(
      authenticatorUrlOption(
        'public address of the authenticator, such as https://mfa.example: where links for enrollment lead',
      ),
    )
    .option('--push-subject <address>', 'contact for push services: mailto:you@mfa.example')
    .option('--no-push', 'send no push messages; people must open the authenticator themselves')
    .option(
      '--refuse-cloned-passkeys',
      'refuse a passkey whose signature counter did not grow; by default it is only in the audit trail',
      false,
    )
  const words = interfaceOptions((name) => `as stored by init, otherwise ${defaultWords[name]}`)
  const groups = {
    Console: consoleOptions(),
    'OpenID Connect': oidcOptions(),
    'Words of existing clients': words,
    Limits: limitOptions(),
  }
  for (const [name, options] of Object.entries(groups)) {
    command.optionsGroup(`${name}:`)
    for (const option of options) command.addOption(option)
  }
  return command
    .addHelpText('after', examplesHelp(examples) + '\n' + environmentHelp + secretFilesHelp + tlsHelp + signalsHelp)
    .action(withErrorHandling(serve))
}

async function serve(settings: Settings): Promise<void> {
  const { database } = settings
  requireDatabase(database)
  if (settings.headersTimeout > settings.requestTimeout) {
    throw new Failure('--headers-timeout must not be longer than --request-timeout.', exitCode.usage)
  }
  const socket = takeInheritedSocket(process.env, process.pid)
  const logger = await createLogger(settings.logLevel)
  const tls = readTls(settings)
  if (tls) warnOfExpiry(tls, logger, systemClock.now())
  const served = consoleOf(settings, { ...settings, tls, socket })
  const service = await withOpenErrors(database, () =>
    createService({ ...serviceOptions(settings, logger), ...served }),
  )
  const provider = await withOpenErrors(database, () =>
    openOidc(service, { ...settings, secure: tls !== undefined }, logger),
  ).catch(async (error: unknown) => {
    // An open connection would keep the process, and a restore would wait for a node that did not leave.
    await service.close()
    throw error
  })
  const listened = provider ? { ...service, listener: provider.listener } : service
  const [main, metrics] = await openListeners(listened, { ...settings, socket, tls })
  const listeners = metrics ? [main, metrics] : [main]
  if (tls) reloadTlsOnSignal(settings, main, logger)
  saveKeysOnSignal(service, database, logger)
  // The next process takes over an inherited socket. Without one, new requests must go to another node.
  const drain = () => service.drain({ serveNew: socket !== undefined })
  const ending = new AbortController()
  endOnSignal({
    drainSeconds: settings.drainSeconds,
    drain() {
      logger.info({ seconds: settings.drainSeconds, inheritedSocket: socket !== undefined }, 'draining before shutdown')
      drain()
      for (const listener of listeners) listener.drain()
    },
    async close() {
      ending.abort()
      drain()
      // The service closes last: accepted connections may still carry a request.
      await Promise.all(listeners.map((listener) => listener.close()))
      provider?.close()
      await service.close()
    },
  })
  const origin = `${tls ? 'https' : 'http'}://${authority(main)}`
  const consoleText = served.console ? `, console at ${served.console.url}/console` : ''
  const oidcText = provider ? `, OpenID issuer ${provider.issuer}` : ''
  const metricsText = metrics ? `, metrics at http://${authority(metrics)}/metrics` : ''
  console.log(
    `second-factor listens on ${origin} (REST interface at ${origin}${service.basePath}${metricsText}${consoleText}${oidcText})`,
  )
  await warmUpLater(settings, ending.signal, logger)
}

/** How long requests that waited for the start are served alone, milliseconds. */
const warmUpDelay = 1_000

async function warmUpLater({ database }: Settings, signal: AbortSignal, logger: Logger): Promise<void> {
  // Statements of PostgreSQL are others, and better-sqlite3 need not be installed beside it.
  if (isUrl(database)) return
  await pause(commandClock, warmUpDelay, signal)
  if (signal.aborted) return
  await warmUp(signal).catch((error: unknown) => logger.warn({ err: error }, 'the warm-up failed'))
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
    approvalRetention: settings.approvalRetention,
    trustProxy: settings.trustProxy,
    limits: limitsOf(settings),
    push: settings.push && (settings.pushSubject === undefined ? {} : { subject: settings.pushSubject }),
    passkeys: { refuseClones: settings.refuseClonedPasskeys },
    authenticatorUrl: settings.authenticatorUrl || undefined,
    logger,
    logRequests: settings.logRequests,
    ...secretsFromEnv(process.env),
    ...sendersFromEnv(process.env),
    ...notifyFromEnv(process.env),
    ...((metricsPort !== undefined || metricsToken !== undefined) && { metrics: { token: metricsToken } }),
  }
}

/** Saves the keys of the running service on SIGUSR2, in case their file was lost. */
function saveKeysOnSignal(service: Service, database: string, logger: Logger): void {
  process.on('SIGUSR2', () => {
    if (isUrl(database) || process.env.MFA_KEYS) {
      return logger.error({}, 'keys not saved: they come from MFA_KEYS, not from a file')
    }
    const file = `${keyFileOf(database)}.saved-${systemClock.now()}`
    void service.saveKeys(file).then(
      () => logger.warn({ file }, 'keys saved to a new file; move it into place and keep it secret'),
      (error: unknown) => logger.error({ err: error, file }, 'keys not saved'),
    )
  })
}

function parseTrustProxy(text: string): TrustProxy {
  const parsed = TrustProxy.safeParse(text)
  if (!parsed.success) throw new InvalidArgumentError(`It ${parsed.error.issues[0]?.message ?? 'is invalid'}.`)
  return parsed.data
}

const signalsHelp = `

Socket activation (systemd.socket(5)):
  LISTEN_FDS, LISTEN_PID   use the listening socket from systemd instead of --host and --port. systemd keeps it open over a
                           restart, so no connection is reset. The socket unit needs one ListenStream= and Accept=no;
                           ExecStart= must run Node itself. TimeoutStopSec= must be longer than --drain-seconds, and a
                           proxy must close idle connections earlier than that (keepalive_timeout in nginx's upstream
                           block). Without a socket from systemd, new sign-ins get 503 while draining, so that a proxy
                           can send them to the next node.

Signals:
  SIGTERM                  drain for --drain-seconds, then shut down; a second signal exits at once
  SIGINT                   shut down without draining; a second signal exits at once
  SIGHUP                   with --tls-cert: reload certificate and key
  SIGUSR2                  save the keys of the service to a new file beside the database`

const examples = [
  'serve --database mfa.sqlite',
  'serve --database /var/lib/mfa.sqlite --host 0.0.0.0 --port 8443 --trust-proxy loopback',
]
