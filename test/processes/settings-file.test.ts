import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'
import { inFullRun } from '../support/full-run.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-settings-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Runs `deploy/second-factor` with these settings, and a program that prints its environment. */
function runWith(settings: string) {
  const [program, file, script] = [join(folder, 'program'), join(folder, 'service.env'), join(folder, 'second-factor')]
  writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} -p 'JSON.stringify(process.env)'\n`)
  chmodSync(program, 0o755)
  writeFileSync(file, settings)
  const text = readFileSync(join(root, 'deploy/second-factor'), 'utf8')
    .replace('/etc/second-factor/service.env', file)
    .replace('/srv/second-factor/node_modules/.bin/second-factor', program)
    .replace('/var/lib/second-factor', folder)
  writeFileSync(script, text)
  const { stdout, stderr, status } = spawnSync('/bin/sh', [script], { encoding: 'utf8' })
  return { stderr, status, env: stdout === '' ? {} : (JSON.parse(stdout) as Record<string, string>) }
}

inFullRun('the command of docs/operations.md reads the settings as systemd does, which is no shell', () => {
  const { env, stderr } = runWith(
    [
      '# a comment',
      '; another one',
      '',
      'MFA_SMTP_FROM=Example Ltd <mfa@example.com>',
      "  MFA_METRICS_TOKEN=a$HOME`id`'b#c",
      'MFA_DATABASE=postgres://user:p@host/mfa?a=b&c=d',
      'SERVE_OPTIONS="--trust-proxy loopback --push-subject mailto:$USER@example.com"\r',
      "NODE_ENV='production' ",
      'MFA_KEYS=k1:AA==',
    ].join('\n'),
  )

  expect(stderr).toBe('')
  expect(env).toMatchObject({
    MFA_SMTP_FROM: 'Example Ltd <mfa@example.com>',
    MFA_METRICS_TOKEN: "a$HOME`id`'b#c",
    MFA_DATABASE: 'postgres://user:p@host/mfa?a=b&c=d',
    SERVE_OPTIONS: '--trust-proxy loopback --push-subject mailto:$USER@example.com',
    NODE_ENV: 'production',
    MFA_KEYS: 'k1:AA==',
  })
})

inFullRun('the command of docs/operations.md reads blanks around names and values as systemd does', () => {
  const { env, stderr } = runWith(
    'NODE_ENV = production\n\tMFA_KEYS\t=  "k1:AA== " \r\nMFA_SMTP_FROM= \nSERVE_OPTIONS = --a b',
  )

  expect(stderr).toBe('')
  expect(env).toMatchObject({ NODE_ENV: 'production', MFA_KEYS: 'k1:AA== ', MFA_SMTP_FROM: '', SERVE_OPTIONS: '--a b' })
})

inFullRun.each([
  ['export MFA_KEYS=k1:AA==', 'systemd ignores it. Write NAME=value.'],
  ['k1:AA==', 'systemd ignores it. Write NAME=value.'],
  [
    'SERVE_OPTIONS="--trust-proxy loopback" --host ::',
    'Write the quotes of SERVE_OPTIONS around its whole value, in one line.',
  ],
  ["SERVE_OPTIONS='--trust-proxy\nloopback'", 'Write the quotes of SERVE_OPTIONS around its whole value, in one line.'],
  ['SERVE_OPTIONS="--host "a" b"', 'Write SERVE_OPTIONS without the quotes within its quotes.'],
  ['SERVE_OPTIONS="', 'Write the quotes of SERVE_OPTIONS around its whole value, in one line.'],
])(
  'the command of docs/operations.md refuses what systemd reads otherwise, and repeats no secret: %s',
  (line, advice) => {
    const { status, stderr } = runWith(`NODE_ENV=production\n${line}\n`)

    expect(status).toBe(2)
    expect(stderr).toBe(`${join(folder, 'service.env')}, line 2: ${advice}\n`)
  },
)

it('the command of docs/operations.md refuses a backslash, which systemd takes for itself', () => {
  const { status, stderr } = runWith('MFA_METRICS_TOKEN=a\\b\n')

  expect(status).toBe(2)
  expect(stderr).toContain('Write MFA_METRICS_TOKEN without one.')
})
