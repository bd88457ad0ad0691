import { readFileSync } from 'node:fs'

import { exitCode, Failure } from '../terminal/failure.ts'
import { senderSecrets } from '../terminal/sender-variables.ts'

/** Variables that contain secrets. Each can be read from a file instead. */
const secretVariables = [
  'MFA_DATABASE',
  'MFA_LISTEN_DATABASE',
  'MFA_TARGET_DATABASE',
  'MFA_KEYS',
  ...senderSecrets,
  'MFA_METRICS_TOKEN',
  'MFA_API_KEY',
]

/**
 * Reads variables from files: with `MFA_KEYS_FILE=/run/secrets/keys`, `MFA_KEYS` becomes the content of that file.
 * Containers and systemd pass secrets as files, which other processes cannot read, unlike environment variables.
 *
 * @param usage The exit code of the failure.
 * @throws {Failure} when a variable is set twice, or when its file cannot be read or is empty.
 */
export function readSecretFiles(env: NodeJS.ProcessEnv, usage: number = exitCode.usage): void {
  for (const name of secretVariables) {
    const file = env[`${name}_FILE`]
    if (!file) continue
    try {
      if (env[name]) throw new Failure(`${name} and ${name}_FILE are both set. Set one of them.`)
      env[name] = readSecret(name, file)
    } catch (error) {
      throw error instanceof Failure ? new Failure(error.message, usage, { cause: error.cause }) : error
    }
  }
}

function readSecret(name: string, file: string): string {
  const lines = readLines(name, file)
  if (lines.length === 0) throw new Failure(`${name}_FILE: ${file} is empty.`)
  // A key file has one key per line. All others have a single line.
  return lines.join(',')
}

function readLines(name: string, file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    throw new Failure(
      `${name}_FILE: can't read ${file} (${code}). Check the path, its owner and its mode.`,
      undefined,
      { cause },
    )
  }
}

export const secretFilesHelp = `
  MFA_DATABASE_FILE, MFA_LISTEN_DATABASE_FILE, MFA_KEYS_FILE, ${senderSecrets.map((name) => `${name}_FILE`).join(', ')}, MFA_METRICS_TOKEN_FILE
                           read the variable from a file, such as /run/secrets/keys`
