import type { Command } from 'commander'

interface Entry {
  /** As the command itself has it. */
  readonly description: string
  /** Loads the command with everything that it runs, which takes longer than most commands do. */
  readonly load: () => Promise<Command>
}

/** All commands, in the order of `--help`. */
export const commandTable: Readonly<Record<string, Entry>> = {
  init: {
    description: 'make an organization with a domain and an API key; the database, too, where there is none',
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
    description: 'manage domains: what people sign in to',
    load: async () => (await import('./domain.ts')).domainCommand(),
  },
  user: {
    description: 'manage users: who signs in',
    load: async () => (await import('./user.ts')).userCommand(),
  },
  token: {
    description: 'manage tokens: what ties a user to a device',
    load: async () => (await import('./token.ts')).tokenCommand(),
  },
  hardware: {
    description: 'manage hardware tokens: devices that show codes',
    load: async () => (await import('./hardware.ts')).hardwareCommand(),
  },
  bypass: {
    description: 'manage bypass codes: for users who cannot reach their device',
    load: async () => (await import('./bypass.ts')).bypassCommand(),
  },
  apikey: {
    description: 'manage the keys of the REST interface',
    load: async () => (await import('./apikey.ts')).apikeyCommand(),
  },
  keys: {
    description: 'manage the keys that secrets in the database are encrypted with',
    load: async () => (await import('./keys.ts')).keysCommand(),
  },
  audit: {
    description: 'read and check the audit trail: who did what when',
    load: async () => (await import('./audit.ts')).auditCommand(),
  },
  backup: {
    description: 'copy the database to a new file, while services use it',
    load: async () => (await import('./backup.ts')).backupCommand(),
  },
  restore: {
    description: 'put a backup in the place of the database; no service may use it',
    load: async () => (await import('./restore.ts')).restoreCommand(),
  },
  restored: {
    description: 'make a database safe to serve that pg_restore put back',
    load: async () => (await import('./restore.ts')).restoredCommand(),
  },
  check: {
    description: 'read the whole database file, and say whether it is sound',
    load: async () => (await import('./check.ts')).checkCommand(),
  },
  clock: {
    description: 'manage the time that the audit trail is shortened by',
    load: async () => (await import('./clock.ts')).clockCommand(),
  },
  device: {
    description: 'approve sign-ins from this terminal',
    load: async () => (await import('./device.ts')).deviceCommand(),
  },
}
