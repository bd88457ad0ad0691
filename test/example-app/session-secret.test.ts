import { mkdtemp, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { sessionSecret } from '../../example-app/storage/session-secret.ts'

const newFile = async () => join(await mkdtemp(join(tmpdir(), 'secret-')), 'session-secret')

describe('the secret of the cookies', () => {
  it('the secret of the cookies stays the same when the app starts again', async () => {
    const file = await newFile()

    expect(await sessionSecret(file)).toBe(await sessionSecret(file))
  })

  it('the secret of the cookies is the same for two processes that start at once', async () => {
    const file = await newFile()

    const secrets = await Promise.all([sessionSecret(file), sessionSecret(file)])

    expect(new Set(secrets).size).toBe(1)
  })

  it('the secret of the cookies is readable by its owner only', async () => {
    const file = await newFile()

    await sessionSecret(file)

    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it('the secret of the cookies is never empty', async () => {
    const file = await newFile()
    await writeFile(file, '')

    await expect(sessionSecret(file)).rejects.toThrow('is damaged')
  })
})
