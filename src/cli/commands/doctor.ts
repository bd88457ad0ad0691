import { Command, InvalidArgumentError } from 'commander'

import { examplesHelp } from '../admin/command.ts'
import { examine } from '../doctor/examine.ts'
import { visitorOf } from '../doctor/visit.ts'
import { exitCode, Failure, withErrorHandling } from '../terminal/failure.ts'
import { printJson, printRows } from '../terminal/print.ts'

interface Settings {
  readonly path: string
  readonly authenticatorUrl?: string
  readonly json?: boolean
}

/** `second-factor doctor`. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('look at an app with mfa() as a visitor, and say what to change')
    .argument('<url>', 'the address of the app, as browsers open it', parseUrl)
    .option('--path <path>', 'the path of the challenge pages', parsePath, '/mfa')
    .option('--authenticator-url <url>', 'the address of the authenticator, if the service runs elsewhere', parseUrl)
    .option('--json', 'print JSON')
    .addHelpText('after', examplesHelp(['doctor https://app.example.com', 'doctor http://localhost:3000 --json']))
    .action(withErrorHandling(async (url: string, settings: Settings) => doctor(url, settings)))
}

async function doctor(address: string, { path, authenticatorUrl, json }: Settings): Promise<void> {
  const url = addressOf('<url>', address)
  const findings = await examine({
    url: new URL(url),
    path,
    visit: visitorOf(url),
    visitAuthenticator:
      authenticatorUrl === undefined ? undefined : visitorOf(addressOf('--authenticator-url', authenticatorUrl)),
  })
  if (json) printJson(findings)
  else printRows(findings.map(({ about, state, text }) => [about, `${signs[state]} ${text}`]))
  if (findings.some(({ state }) => state === 'problem')) process.exitCode = exitCode.failed
}

const signs = { good: '✓', problem: '✗', unknown: '?' } as const

function parsePath(text: string): string {
  if (!/^(\/[\w.~-]+)+$/.test(text)) throw new InvalidArgumentError('It must be a path such as /mfa.')
  return text
}

function parseUrl(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new InvalidArgumentError('It must be an address such as https://app.example.com.')
  }
  return text
}

/** The address without a slash at its end. */
function addressOf(name: string, text: string): string {
  const { username, password, origin, pathname } = new URL(text)
  if (username !== '' || password !== '') {
    // A visitor with them would find what phones do not.
    throw new Failure(
      `${name}: leave out the user name and the password, because phones open the pages of mfa() without them.`,
      exitCode.usage,
    )
  }
  const parts = pathname.split('/').filter((part) => part !== '')
  return [origin, ...parts].join('/')
}
