import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Waits until a file is on the disk. Windows flushes only what is open for writing. */
export const flushFile = (path: string): void => flush(path, 'r+')

/**
 * Waits until the names in a folder are on the disk: what was created, linked and renamed there. Does nothing where the system flushes
 * no folders, such as Windows and some network drives, or where this user may not list it.
 */
export function flushFolder(path: string): void {
  try {
    flush(path, 'r')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && unsupported.has(error.code))) throw error
  }
}

/** What these systems answer. A disk that fails answers `EIO`. */
const unsupported: ReadonlySet<unknown> = new Set(['EACCES', 'EBADF', 'EINVAL', 'EISDIR', 'EPERM'])

function flush(path: string, flags: 'r' | 'r+'): void {
  const descriptor = openSync(path, flags)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
