import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'

import { exitCode, Failure } from './failure.ts'

/** Reads a whole file of at most `maxBytes`. Rejects devices, pipes and folders: some of them never end. */
export async function readWholeFile(path: string, maxBytes: number): Promise<Buffer> {
  const file = await openFile(path)
  try {
    if (!(await file.stat()).isFile()) {
      throw new Failure(`Can't read ${path}: not a regular file. Choose another path.`)
    }
    const bytes = await buffer(file.createReadStream({ start: 0, end: maxBytes, autoClose: false }))
    if (bytes.length > maxBytes) throw tooLarge(path, maxBytes)
    return bytes
  } finally {
    await file.close()
  }
}

/** More than any key or seed takes in hexadecimal, bytes. */
const maxHexBytes = 1024

/** Reads hexadecimal digits from an option, or from the file that `@FILE` names. Messages never repeat them. */
export async function readHex(value: string, option: string, isLength: (digits: number) => boolean): Promise<string> {
  const text = value.startsWith('@') ? (await readWholeFile(value.slice(1), maxHexBytes)).toString('latin1') : value
  const digits = text.replace(/\s/g, '')
  if (/^[0-9a-f]*$/i.test(digits) && isLength(digits.length)) return digits
  throw new Failure(`${option}: expected hexadecimal digits of the right length. See --help.`, exitCode.usage)
}

/** Reads the one line of the file that `@FILE` names, such as a password, which no argument may contain: others see arguments. */
export async function readLine(value: string, option: string): Promise<string> {
  if (!value.startsWith('@')) {
    const reason = 'every user of the machine can read what a command was given'
    throw new Failure(`${option}: expected @ and the path of a file, because ${reason}.`, exitCode.usage)
  }
  const [line = '', ...rest] = (await readWholeFile(value.slice(1), maxHexBytes))
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
  if (rest.some((other) => other !== '')) throw new Failure(`${option}: the file has several lines.`, exitCode.usage)
  return line
}

/** More than any list of secrets has, bytes. */
const maxTextBytes = 16 * 1024

/** Reads the file that `@FILE` names, such as one with secrets, which no argument may contain. */
export async function readText(value: string, option: string): Promise<string> {
  if (!value.startsWith('@')) throw new Failure(`${option}: expected @ and the path of a file.`, exitCode.usage)
  const text = (await readWholeFile(value.slice(1), maxTextBytes)).toString('utf8')
  return text.replace(/^\ufeff/, '').trim()
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    // Opening a pipe would otherwise wait for its writer.
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (cause) {
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    const reason = missing ? 'no such file. Check the path.' : 'permission denied. Check its owner and mode.'
    throw new Failure(`Can't read ${path}: ${reason}`, undefined, { cause })
  }
}

function tooLarge(path: string, maxBytes: number): Failure {
  const limit = maxBytes >= 1024 * 1024 ? `${maxBytes / 1024 / 1024} MiB` : `${maxBytes / 1024} KiB`
  return new Failure(`${path} is larger than ${limit}. Choose a smaller file.`)
}
