import { Command } from 'commander'

export interface Flags {
  readonly https?: boolean
  readonly port?: string
  readonly host?: string
}

/** The flags of `npm start --`. They override environment variables. */
export function createFlags(): Command {
  return new Command('npm start --')
    .description('Start the example app, with a service inside it unless MFA_BASE_URL is set.')
    .option('--https', 'serve your network over https with a self-made certificate, so that a phone can approve')
    .option(
      '--port <number>',
      'port to listen on (PORT, default 3000); with --https, the next port serves a page about the certificate',
    )
    .option('--host <address>', 'address to listen on (HOST, default 127.0.0.1; with --https all addresses)')
    .addHelpText('after', examples)
    .allowExcessArguments(false)
    .showHelpAfterError('Run npm start -- --help for all options.')
}

const examples = `
Examples:
  npm start
  npm start -- --https --port 8443

DATA sets the folder of the databases (default .data). PUBLIC_URL sets the address that people open, if it is a different one.`
