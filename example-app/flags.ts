import { Command } from 'commander'

export interface Flags {
  readonly https?: boolean
  readonly port?: string
  readonly host?: string
}

/** What `npm start --` takes. It goes before the environment. */
export function createFlags(): Command {
  return new Command('npm start --')
    .description('Starts the example app, and a service inside it unless MFA_BASE_URL names one.')
    .option('--https', 'serve your network over https, with a certificate made here, so that a phone can approve')
    .option('--port <number>', 'where to listen (PORT, 3000); with --https the next port explains the certificate')
    .option('--host <address>', 'what to listen on (HOST, 127.0.0.1; with --https every address)')
    .addHelpText('after', examples)
    .allowExcessArguments(false)
    .showHelpAfterError('npm start -- --help lists what there is.')
}

const examples = `
Examples:
  npm start
  npm start -- --https --port 8443

DATA names the folder of the databases (.data), PUBLIC_URL the address that people open, where it is another one.`
