import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Waits until a file is on the disk. Windows flushes only what is open for writing. */
export const flushFile = (path: string): void => flush(path, 'r+')

/** Waits until the names in a folder are on the disk: what was created, linked and renamed there. Windows has no such call. */
export function flushFolder(path: string): void {
  if (process.platform !== 'win32') flush(path, 'r')
}

function flush(path: string, flags: 'r' | 'r+'): void {
  const descriptor = openSync(path, flags)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
