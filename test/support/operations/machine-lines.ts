import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Units } from './units.ts'

/** What the lines of `machine` blocks act on. */
export interface OnTheMachine {
  readonly root: string
  readonly units: Units
  /** `nginx -t`, and nginx with the new configuration; the short form has none. */
  readonly nginx: (action: 'test' | 'start') => Promise<void>
  /** Whether programs of the machine are at hand: the long form. */
  readonly real: boolean
}

type Act = (machine: OnTheMachine) => unknown

const nothing: Act = () => {}

/**
 * Each line that changes a machine as a whole, and what stands for it in the test. One that is not here fails the test.
 * What nothing stands for is checked otherwise, or only read: packages of Debian, users, certificates.
 */
const lines: readonly (readonly [pattern: RegExp, act: Act])[] = [
  [/^sudo apt-get update$/, nothing],
  [/^sudo apt-get install --yes [a-z0-9- ]+$/, nothing],
  [/^curl --fail --remote-name https:\/\/nodejs\.org\/dist\/v[\d.]+\/\S+$/, nothing],
  [/^sha256sum --check --ignore-missing SHASUMS256\.txt$/, nothing],
  [/^sudo tar --extract --xz --file=node-v\S+ --directory=\/usr\/local --strip-components=1$/, installNode],
  [/^sudo useradd --system [a-z/ -]+ second-factor$/, nothing],
  [/^sudo certbot certonly --standalone .+$/, nothing],
  [/^sudo nginx -t$/, ({ nginx }) => nginx('test')],
  [/^sudo systemctl (restart|reload) nginx$/, ({ nginx }) => nginx('start')],
  [/^promtool check config \/etc\/prometheus\/prometheus\.yml$/, checkPrometheus],
  [/^sudo systemctl restart prometheus$/, nothing],
  [/^sudo systemctl daemon-reload$/, nothing],
  [/^sudo systemctl (enable --now|start) second-factor\.socket second-factor\.service$/, ({ units }) => units.start()],
  [/^sudo systemctl stop second-factor\.socket second-factor\.service$/, ({ units }) => units.stop()],
  [/^sudo systemctl disable --now second-factor\.socket second-factor\.service$/, ({ units }) => units.stop()],
  // The templates are the units but for their name and port, see `test/house/deploy.test.ts`: the same unit stands for both.
  [/^sudo systemctl enable --now( second-factor@\d+\.socket)+$/, nothing],
  [/^sudo systemctl enable --now( second-factor@\d+\.service)+$/, ({ units }) => units.start()],
  [/^sudo systemctl restart second-factor(\.service)?$/, ({ units }) => units.restart()],
  [/^sudo systemctl status --no-pager second-factor$/, nothing],
  [/^sudo systemctl enable --now second-factor-backup\.timer$/, nothing],
  [/^sudo systemctl kill --kill-whom=main --signal=SIGUSR2 second-factor$/, saveKeys],
  [/^sudo journalctl --unit=second-factor --output=cat --since=-1h$/, nothing],
  [/^sudo journalctl --unit=second-factor --output=cat \| sudo tee (\/\S+) > \/dev\/null$/, saveJournal],
  [/^sudo systemctl restart postgresql$/, nothing],
  [
    /^echo 'host second_factor \S+ \S+ scram-sha-256' \| sudo tee --append \/etc\/postgresql\/\*\/main\/pg_hba\.conf$/,
    nothing,
  ],
  [/^docker compose (up|run|exec) [\w ./'=-]+( > second-factor\.dump)?$/, nothing],
  [/^sudo timedatectl set-ntp true$/, nothing],
  [/^timedatectl show --property=NTPSynchronized$/, nothing],
]

/** @throws {Error} for a line that nothing stands for. */
export async function carryOut(code: string, machine: OnTheMachine): Promise<void> {
  for (const line of code.split('\n')) {
    const rule = lines.find(([pattern]) => pattern.test(line))
    if (!rule) throw new Error(`docs/operations.md: no test knows the line \`${line}\``)
    await rule[1](machine)
  }
}

async function installNode({ root }: OnTheMachine): Promise<void> {
  await mkdir(join(root, 'usr/local/bin'), { recursive: true })
  symlinkSync(process.execPath, join(root, 'usr/local/bin/node'))
}

function checkPrometheus({ root, real }: OnTheMachine): void {
  if (real) execFileSync('promtool', ['check', 'config', join(root, 'etc/prometheus/prometheus.yml')])
}

async function saveKeys({ units }: OnTheMachine): Promise<void> {
  units.signal('SIGUSR2')
  await units.logged(/keys saved to a new file/)
}

async function saveJournal({ root, units }: OnTheMachine): Promise<void> {
  await writeFile(join(root, 'var/backups/second-factor/service.log'), units.journal())
}
