import { exitCode, Failure } from '../terminal/failure.ts'

/** The first file descriptor that systemd passes (sd_listen_fds(3), SD_LISTEN_FDS_START). */
export const firstInheritedFd = 3

const names = ['LISTEN_FDS', 'LISTEN_PID', 'LISTEN_FDNAMES', 'LISTEN_PIDFDID']

/**
 * Takes the listening socket that systemd passed to this process (sd_listen_fds(3)), and removes the variables that name it,
 * so that no child process uses the socket.
 * @returns The file descriptor; undefined when no socket was passed.
 * @throws {Failure} when several sockets were passed, or the socket was passed to another process.
 */
export function takeInheritedSocket(env: NodeJS.ProcessEnv, pid: number): number | undefined {
  const { LISTEN_FDS: count, LISTEN_PID: owner } = env
  for (const name of names) delete env[name]
  if (count === undefined || count === '' || count === '0') return undefined
  if (owner !== String(pid)) {
    throw new Failure(
      `LISTEN_PID is ${owner ?? 'not set'}, but this is process ${pid}: the socket was passed to another process. ` +
        'Start second-factor directly with Node 22.12 or later, not through npx or a shell, or unset LISTEN_FDS.',
      exitCode.usage,
    )
  }
  if (count !== '1') {
    throw new Failure(
      `LISTEN_FDS is ${count}, but serve takes one socket. Keep one ListenStream= in the socket unit.`,
      exitCode.usage,
    )
  }
  return firstInheritedFd
}
