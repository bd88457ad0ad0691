import type { Command } from 'commander'

interface Entry {
  /** The same as in the command itself. */
  readonly description: string
  /** Loads the command and all its code, which takes longer than most commands run. */
  readonly load: () => Promise<Command>
  /** The exit code after a usage error or lost output, where it is not that of other commands. */
  readonly usageExitCode?: number
}

/** All commands, in the order of `--help`. */
export const commandTable: Readonly<Record<string, Entry>> = {
  init: {
    description: 'create an organization with a domain and an API key, and the database if it does not exist',
    load: async () => (await import('./init.ts')).initCommand(),
  },
  serve: {
    description: 'run the service: REST interface, device protocol and authenticator',
    load: async () => (await import('./serve.ts')).serveCommand(),
  },
  openapi: {
    description: 'print the REST interface as an OpenAPI 3.1 document',
    load: async () => (await import('./openapi.ts')).openapiCommand(),
  },
  domain: {
    description: 'manage domains, which people sign in to',
    load: async () => (await import('./domain.ts')).domainCommand(),
  },
  user: {
    description: 'manage users',
    load: async () => (await import('./user.ts')).userCommand(),
  },
  token: {
    description: 'manage tokens, which tie a user to a device',
    load: async () => (await import('./token.ts')).tokenCommand(),
  },
  hardware: {
    description: 'manage hardware tokens, which display codes',
    load: async () => (await import('./hardware.ts')).hardwareCommand(),
  },
  factor: {
    description: 'move authenticator apps and hardware tokens of users',
    load: async () => (await import('./factor.ts')).factorCommand(),
  },
  passkey: {
    description: 'manage passkeys, which users add in the app',
    load: async () => (await import('./passkey.ts')).passkeyCommand(),
  },
  bypass: {
    description: 'manage bypass codes, for users who cannot use their device',
    load: async () => (await import('./bypass.ts')).bypassCommand(),
  },
  admin: {
    description: 'manage administrators of the console',
    load: async () => (await import('./admin.ts')).adminGroup(),
  },
  apikey: {
    description: 'manage the API keys of the REST interface',
    load: async () => (await import('./apikey.ts')).apikeyCommand(),
  },
  oidc: {
    description: 'manage the clients and the signing keys of the OpenID provider',
    load: async () => (await import('./oidc.ts')).oidcCommand(),
  },
  keys: {
    description: 'manage the keys that encrypt secrets in the database',
    load: async () => (await import('./keys.ts')).keysCommand(),
  },
  audit: {
    description: 'read and verify the audit trail',
    load: async () => (await import('./audit.ts')).auditCommand(),
  },
  backup: {
    description: 'copy the database to a new file while services use it',
    load: async () => (await import('./backup.ts')).backupCommand(),
  },
  restore: {
    description: 'replace the database with a backup; stop all services first',
    load: async () => (await import('./restore.ts')).restoreCommand(),
  },
  restored: {
    description: 'make a database safe to use after pg_restore',
    load: async () => (await import('./restore.ts')).restoredCommand(),
  },
  check: {
    description: 'check the whole database file, and whether this version can open it',
    load: async () => (await import('./check.ts')).checkCommand(),
  },
  database: {
    description: 'move the database from SQLite to PostgreSQL',
    load: async () => (await import('./database.ts')).databaseGroup(),
  },
  doctor: {
    description: 'look at an app with mfa() as a visitor, and say what to change',
    load: async () => (await import('./doctor.ts')).doctorCommand(),
  },
  clock: {
    description: 'manage the clock that retention of the audit trail uses',
    load: async () => (await import('./clock.ts')).clockCommand(),
  },
  device: {
    description: 'approve sign-ins and actions from this terminal',
    load: async () => (await import('./device.ts')).deviceCommand(),
  },
  ask: {
    description: 'ask people to approve an action, and wait for their answers',
    load: async () => (await import('./ask.ts')).askCommand(),
    // A script must not take a wrong option for an expired approval, and a full disk for a denied one.
    usageExitCode: 3,
  },
  proof: {
    description: 'verify and export proofs of approvals',
    load: async () => (await import('./proof.ts')).proofCommand(),
  },
}
