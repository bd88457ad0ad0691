import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import { useDatabase } from './admin/run-command.ts'
import { main } from './command.ts'

const { place } = useDatabase()

/** A disk without room, as Linux has it for tests. */
const fullDisk = '/dev/full'

describe('a command whose output cannot be written', () => {
  it.skipIf(!existsSync(fullDisk)).each([
    ['audit', 'export'],
    ['user', 'list', '--csv'],
    ['keys', 'status', '--json'],
  ])('a command whose output does not fit on the disk fails, and says so: %s %s', (...args) => {
    const disk = openSync(fullDisk, 'w')

    const ended = spawnSync(process.execPath, [main, ...args, '--database', place.database], {
      stdio: ['ignore', disk, 'pipe'],
      encoding: 'utf8',
    })
    closeSync(disk)

    expect(ended).toMatchObject({
      status: 1,
      stderr: "Can't write the output: the disk is full. Free some space first.\n",
    })
  })

  it('a command whose reader has read enough ends without a word', () => {
    const script = `"$0" "$@" | head -c 1`
    const args = [process.execPath, main, 'audit', 'list', '--json', '--database', place.database]

    const ended = spawnSync('sh', ['-c', script, ...args], { encoding: 'utf8' })

    expect(ended).toMatchObject({ status: 0, stderr: '', stdout: '[' })
  })
})
