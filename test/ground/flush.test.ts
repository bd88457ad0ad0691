import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'

import { afterEach, describe, expect, it } from 'vitest'

import { flushFolder } from '../../src/ground/flush.ts'

const { fsyncSync } = fs

afterEach(() => {
  fs.fsyncSync = fsyncSync
  syncBuiltinESMExports()
})

/** The system answers a flush with this error. */
function failWith(code: string): void {
  fs.fsyncSync = () => {
    throw Object.assign(new Error(code), { code })
  }
  syncBuiltinESMExports()
}

describe('flushFolder()', () => {
  it.each(['EINVAL', 'EPERM'])('flushFolder() does nothing where the system flushes no folders (%s)', (code) => {
    failWith(code)

    expect(() => flushFolder(tmpdir())).not.toThrow()
  })

  it('flushFolder() says when the disk fails', () => {
    failWith('EIO')

    expect(() => flushFolder(tmpdir())).toThrow('EIO')
  })

  it('flushFolder() says when the folder does not exist', () => {
    expect(() => flushFolder('/does/not/exist')).toThrow('ENOENT')
  })
})
