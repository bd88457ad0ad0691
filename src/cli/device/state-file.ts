import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

import { z } from 'zod'

import { Domain13 } from '../../contract/domains.ts'
import { Id } from '../../contract/text.ts'
import { parseJson } from '../../contract/validate.ts'
import type { Account } from '../../device/account.ts'
import { exportPrivateKey, importPrivateKey } from '../../device/keys.ts'
import { exportCodeSecret, importCodeSecret } from '../../device/offline-code.ts'
import { Failure } from '../terminal/failure.ts'

const SavedAccount = z.object({
  id: Id,
  service: Id,
  serviceUrl: z.url(),
  organization: z.object({ name: z.string() }),
  domain: z.object({ id: Id, name: z.string(), keyType: Domain13.shape.keyType.optional() }),
  user: z.object({ username: z.string(), name: z.string().optional() }),
  clockOffset: z.int(),
  /** Base32. Absent in files that are older than offline codes. */
  codeSecret: z.string().optional(),
  lockedSecret: z.object({ salt: z.string(), secret: z.string(), iterations: z.int().positive() }).optional(),
  label: z.string().optional(),
  privateKey: z.object({ kty: z.literal('EC'), crv: z.literal('P-256'), x: z.string(), y: z.string(), d: z.string() }),
})
type SavedAccount = z.infer<typeof SavedAccount>

/** Version 1 can still be read. Programs that only know version 1 reject version 2, which they could not write completely. */
const State = z.object({ version: z.literal([1, 2]), accounts: z.array(SavedAccount) })

/** The accounts of a state file. @throws {Failure} when there are none. */
export async function readAccounts(file: string): Promise<readonly Account[]> {
  const saved = await read(file)
  if (saved.length === 0) {
    throw new Failure(
      `${file} has no account. Add one: second-factor device activate --url URL --code CODE --state ${file}`,
    )
  }
  return Promise.all(saved.map(restore))
}

/** Makes sure that an account can be saved before its activation code is used up. */
export async function ensureWritable(file: string): Promise<void> {
  await write(file, await read(file))
}

/** Adds accounts to the file, or replaces those with the same ids. */
export async function saveAccounts(file: string, accounts: readonly Account[]): Promise<void> {
  const changed = await Promise.all(accounts.map(toSaved))
  const otherAccounts = (await read(file)).filter(({ id }) => changed.every((account) => account.id !== id))
  await write(file, [...otherAccounts, ...changed])
}

/** Saves the clock offsets of the accounts that are still in the file. */
export async function saveOffsets(file: string, accounts: readonly Account[]): Promise<void> {
  const offsets = new Map(accounts.map(({ id, clockOffset }) => [id, clockOffset]))
  const saved = await read(file)
  await write(
    file,
    saved.map((account) => ({ ...account, clockOffset: offsets.get(account.id) ?? account.clockOffset })),
  )
}

/** @returns false when the file has no such account. */
export async function removeAccount(file: string, id: string): Promise<boolean> {
  const saved = await read(file)
  const otherAccounts = saved.filter((account) => account.id !== id)
  await write(file, otherAccounts)
  return otherAccounts.length < saved.length
}

async function read(file: string): Promise<readonly SavedAccount[]> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    if (isMissing(cause)) return undefined
    throw new Failure(`Can't read ${file}. Check its owner and mode.`, undefined, { cause })
  })
  if (text === undefined) return []
  const parsed = State.safeParse(parseJson(text))
  // Never overwritten: the file may contain keys that exist nowhere else.
  if (!parsed.success)
    throw new Failure(`${file} is not a state file of this command. Choose another one with --state.`)
  return parsed.data.accounts
}

/** Replaces the file atomically. Only its owner can read it. */
async function write(file: string, accounts: readonly SavedAccount[]): Promise<void> {
  const scratch = `${resolve(file)}.${process.pid}.tmp`
  try {
    const handle = await open(scratch, 'wx', 0o600)
    try {
      await handle.writeFile(`${JSON.stringify({ version: 2, accounts }, undefined, 2)}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(scratch, file)
  } catch (cause) {
    await rm(scratch, { force: true }).catch(() => undefined) // a folder that cannot be written has no scratch file
    throw new Failure(`Can't write ${file}. Check that ${dirname(resolve(file))} exists and is writable.`, undefined, {
      cause,
    })
  }
}

async function toSaved(account: Account): Promise<SavedAccount> {
  return SavedAccount.parse({
    ...account,
    privateKey: await exportPrivateKey(account.privateKey),
    codeSecret: account.codeSecret && (await exportCodeSecret(account.codeSecret)),
  })
}

async function restore({
  privateKey,
  codeSecret,
  lockedSecret,
  label,
  domain,
  ...saved
}: SavedAccount): Promise<Account> {
  const { keyType, ...domainName } = domain
  return {
    ...saved,
    domain: { ...domainName, ...(keyType && { keyType }) },
    ...(lockedSecret && { lockedSecret }),
    ...(label !== undefined && { label }),
    privateKey: await importPrivateKey(privateKey),
    // Extractable, because it is written again with the rest of the file.
    ...(codeSecret !== undefined && { codeSecret: await importCodeSecret({ secret: codeSecret }, true) }),
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
