import type { Encrypter } from 'age-encryption'

import { loadOptional } from '../../service/engine/base/optional-package.ts'
import { rethrowFileError } from '../database/failures.ts'
import { exitCode, Failure } from '../terminal/failure.ts'
import { askHidden, canPrompt } from '../terminal/prompt.ts'
import { readLine } from '../terminal/read-file.ts'

/** Who can decrypt: those who know the passphrase, or who have a key. */
interface EncryptionSettings {
  readonly passphrase?: string
  readonly recipient?: readonly string[]
}

/**
 * Anybody who has the file can try passphrases, as fast as their machines can. NIST SP 800-63B-4 section 3.1.1.2 asks for as many
 * characters where nothing else protects.
 */
const minPassphrase = 15

/** Without options, asks for a passphrase at the terminal. @throws {Failure} before anything is exported. */
export async function createEncrypter({ passphrase, recipient }: EncryptionSettings): Promise<Encrypter> {
  if (passphrase !== undefined && recipient) throw usage('Set --passphrase or --recipient, not both.')
  const age = { name: 'age-encryption', purpose: 'Exporting factors', oldest: '0.3' }
  const { Encrypter: AgeEncrypter } = await loadOptional(age, () => import('age-encryption')).catch(rethrowFileError)
  const encrypter = new AgeEncrypter()
  if (recipient) for (const key of recipient) addRecipient(encrypter, key)
  else encrypter.setPassphrase(await readPassphrase(passphrase))
  return encrypter
}

/** Never repeats the key: it might be a private one. */
function addRecipient(encrypter: Encrypter, key: string): void {
  try {
    encrypter.addRecipient(key)
  } catch (cause) {
    const message = '--recipient: expected a public key of age, which begins with age1 and which age-keygen prints.'
    throw new Failure(message, exitCode.usage, { cause })
  }
}

async function readPassphrase(option: string | undefined): Promise<string> {
  if (option !== undefined) return checked(await readLine(option, '--passphrase'))
  if (!canPrompt()) throw usage('Set --passphrase @FILE or --recipient, because nobody is at a terminal to ask.')
  const passphrase = checked((await askHidden('Passphrase for the file: ')) ?? '')
  if ((await askHidden('Repeat the passphrase: ')) === passphrase) return passphrase
  throw new Failure("The passphrases aren't the same. Nothing was exported.")
}

function checked(passphrase: string): string {
  if (Array.from(passphrase).length >= minPassphrase) return passphrase
  throw usage(`The passphrase is too short: it needs ${minPassphrase} characters or more, such as five random words.`)
}

const usage = (message: string): Failure => new Failure(message, exitCode.usage)
