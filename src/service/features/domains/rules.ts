import { createHash } from 'node:crypto'

/**
 * The version of settings: a digest of their values, so that a change counts whatever made it, also the command line. Settings
 * that were changed and changed back have the same version, and nothing is lost then.
 */
export const settingsVersion = (settings: Readonly<Record<string, unknown>>): string =>
  createHash('sha256').update(JSON.stringify(settings)).digest('base64url').slice(0, 22)
