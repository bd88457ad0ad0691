import { existsSync } from 'node:fs'

import { Command, InvalidArgumentError, Option } from 'commander'

import { listen } from '../../service/http/listen.ts'
import { createService } from '../../service/service.ts'
import { ending, Failure } from '../device/failure.ts'
import { createLogger, logLevels } from '../service/logger.ts'
import type { LogLevel } from '../service/logger.ts'
import { opening } from '../service/opening.ts'

interface Settings {
  readonly database: string
  readonly port: number
  readonly host: string
  readonly basePath: string
  readonly scheme: string
  readonly mediaType: string
  readonly logLevel: LogLevel
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
    .addHelpText('after', examples)
    .action(ending(serve))
}

async function serve(settings: Settings): Promise<void> {
  const { database, basePath, scheme, mediaType } = settings
  if (!existsSync(database)) {
    throw new Failure(`There is no database ${database}. Make one: second-factor init --database ${database}`)
  }
  const logger = await createLogger(settings.logLevel)
  const service = await opening(database, () =>
    createService({ database, basePath, vendor: { scheme, mediaType }, logger }),
  )
  const listening = await listen(service.listener, settings).catch(async (error: unknown) => {
    await service.close()
    throw cannotListen(settings, error)
  })
  onSignal(async () => {
    const gone = listening.close()
    await service.close()
    await gone
  })
  console.log(`second-factor listens on ${address(listening)} (REST interface at ${address(listening)}${basePath})`)
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

function cannotListen({ host, port }: Settings, cause: unknown): Failure {
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

const examples = `
Examples:
  $ second-factor serve --database mfa.sqlite
  $ second-factor serve --database /var/lib/mfa.sqlite --host 0.0.0.0 --port 8443 --log-level info`
