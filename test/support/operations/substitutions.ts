import { join } from 'node:path'

/** Where a machine of the page is on the machine of the test. */
export interface Place {
  /** Folder that stands for `/`. */
  readonly root: string
  readonly port: number
  readonly metricsPort: number
  /** Ports of the three nodes. */
  readonly nodePorts: readonly number[]
  /** Host and port of PostgreSQL. */
  readonly postgres: string
  /** Stands for `https://$name`; the long form resolves the name instead. */
  readonly front?: string
  /** What a real npm installs in place of `second-factor`. */
  readonly tarball?: string
  /** Seconds; the page's services drain for 5. */
  readonly drain?: number
}

/** Folders of the page that are below `root` in the test. */
const folders = [
  '/srv/second-factor',
  '/etc/second-factor',
  '/var/lib/second-factor',
  '/var/lib/postgresql',
  '/var/backups/second-factor',
  '/usr/local/bin',
  '/etc/systemd/system',
  '/etc/nginx',
  '/etc/letsencrypt',
  '/etc/prometheus',
  '/var/lib/prometheus',
]

/**
 * All that differs between the page and the test: nobody is another user, the machine's folders are elsewhere, its ports
 * and addresses are others. Holds for commands and for the files of `deploy/` alike.
 */
export function substitute(
  text: string,
  { root, port, metricsPort, nodePorts, postgres, front, tarball, drain }: Place,
): string {
  let changed = text.replaceAll('sudo -u postgres ', '').replaceAll('sudo ', '')
  changed = changed.replaceAll('-o second-factor -g second-factor ', '')
  for (const folder of folders) changed = changed.replaceAll(folder, join(root, folder))
  changed = changed.replaceAll(/10\.0\.0\.1([1-3]):8787/g, (_all, digit: string) => {
    return `127.0.0.1:${nodePorts[Number(digit) - 1]}`
  })
  // No pooler is in between: test/long/nodes.long.ts has one.
  changed = changed.replaceAll('10.0.0.21:6432', postgres).replaceAll('10.0.0.20', postgres)
  changed = changed.replaceAll(/10\.0\.0\.1\d/g, '127.0.0.1')
  changed = changed.replaceAll(':8787', `:${port}`).replaceAll(/\b9464\b/g, String(metricsPort))
  if (front !== undefined) changed = changed.replaceAll('https://$name', front)
  if (tarball !== undefined)
    changed = changed.replaceAll(/(npm install .*--omit=dev) second-factor(@latest)?/g, `$1 ${tarball}`)
  if (drain === undefined) return changed
  return changed.replaceAll('SERVE_OPTIONS="', `SERVE_OPTIONS="--drain-seconds ${drain} `)
}
