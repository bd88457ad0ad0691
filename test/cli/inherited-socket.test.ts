import { describe, expect, it } from 'vitest'

import { takeInheritedSocket } from '../../src/cli/serve/inherited-socket.ts'

const activation = { LISTEN_PID: '42', LISTEN_FDS: '1', LISTEN_FDNAMES: 'http', LISTEN_PIDFDID: '7' }

describe('a listening socket from systemd', () => {
  it('a listening socket from systemd is file descriptor 3', () => {
    expect(takeInheritedSocket({ ...activation }, 42)).toBe(3)
  })

  it.each([
    ['taken', '42', '1'],
    ['refused', '43', '1'],
    ['refused', '42', '2'],
  ])(
    'a systemd socket that is %s is announced to no child process (LISTEN_PID=%s, LISTEN_FDS=%s)',
    (_what, pid, count) => {
      const env: NodeJS.ProcessEnv = { ...activation, LISTEN_PID: pid, LISTEN_FDS: count, PATH: '/bin' }
      try {
        takeInheritedSocket(env, 42)
      } catch {
        // The variables are what matters here.
      }

      expect(env).toEqual({ PATH: '/bin' })
    },
  )

  it('the inherited socket is undefined when systemd passes none', () => {
    expect(
      [{}, { LISTEN_FDS: '' }, { LISTEN_FDS: '0', LISTEN_PID: '1' }].map((env) => takeInheritedSocket(env, 42)),
    ).toEqual([undefined, undefined, undefined])
  })

  it.each([
    [{ LISTEN_PID: '43', LISTEN_FDS: '1' }, 'LISTEN_PID is 43, but this is process 42'],
    [{ LISTEN_FDS: '1' }, 'LISTEN_PID is not set, but this is process 42'],
    [{ LISTEN_PID: '42', LISTEN_FDS: '2' }, 'LISTEN_FDS is 2, but serve takes one socket'],
  ])('a systemd socket with wrong variables is refused in one line: %j', (env, message) => {
    expect(() => takeInheritedSocket({ ...env }, 42)).toThrow(expect.objectContaining({ name: 'Failure', exitCode: 2 }))
    expect(() => takeInheritedSocket({ ...env }, 42)).toThrow(message)
    expect(() => takeInheritedSocket({ ...env }, 42)).toThrow(/^[^\n]+$/)
  })
})
