import { renameSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'

import type { Encrypter } from 'age-encryption'

import { flushFolder } from '../../ground/flush.ts'
import { writing } from '../database/failures.ts'
import { exitCode, Failure } from '../terminal/failure.ts'

/** A file that gets its name when it is complete. */
interface EncryptedFile {
  /** Encrypts the lines while they arrive. No plain text is written, and the file gets its name at the end. */
  readonly write: (lines: AsyncIterable<string>, encrypter: Encrypter) => Promise<void>
  /** Removes what was not completed. */
  readonly close: () => Promise<void>
}

/**
 * Creates an empty file beside the one that will appear, so that a folder that cannot be written stops the command before it has done
 * anything. Only its owner may read it.
 * @param force Whether an existing file is replaced.
 */
export async function createEncryptedFile(file: string, force: boolean): Promise<EncryptedFile> {
  requireReplaceable(file, force)
  const scratch = `${file}.${process.pid}.part`
  const handle = await writing(file, () => open(scratch, 'wx', 0o600))
  const remove = () => rmSync(scratch, { force: true })
  // Ctrl+C ends the process at once.
  process.once('exit', remove)
  return {
    async write(lines, encrypter) {
      const encrypted = await encrypter.encrypt(streamOf(inChunks(lines)))
      for (const reader = encrypted.getReader(); ;) {
        const { done, value } = await reader.read()
        if (done) break
        await writing(file, () => handle.writeFile(value))
      }
      await writing(file, () => handle.sync())
      requireReplaceable(file, force)
      renameSync(scratch, file)
      flushFolder(dirname(file))
    },
    async close() {
      process.off('exit', remove)
      await handle.close()
      remove()
    },
  }
}

function requireReplaceable(file: string, force: boolean): void {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats) return
  if (!stats.isFile()) throw new Failure(`${file} is not a regular file. Choose another name.`, exitCode.usage)
  if (!force) throw new Failure(`${file} exists. Choose another name, or replace it with --force.`, exitCode.usage)
}

/** The characters that are encrypted at once: a stream of single lines would take several times as long. */
const chunkSize = 64 * 1024

async function* inChunks(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let chunk = ''
  for await (const line of lines) {
    chunk += line
    if (chunk.length < chunkSize) continue
    yield Buffer.from(chunk)
    chunk = ''
  }
  yield Buffer.from(chunk)
}

/** A stream as `age-encryption` takes it. It reads a chunk when the one before it is encrypted. */
function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}
