import { readFileSync, writeFileSync } from 'node:fs'

import type { Command } from 'commander'
import { z } from 'zod'

import { verifyAudit } from '../../service/audit/read.ts'
import type { Finding, Head, Verification } from '../../service/audit/verify-chains.ts'
import { databaseCommand } from '../admin/command.ts'
import { withContext } from '../admin/local-service.ts'
import { printJson, printTable, quote, shortId } from '../admin/print.ts'
import { exitCode } from '../device/exit-codes.ts'
import { ending, Failure } from '../device/failure.ts'

interface Settings {
  readonly database: string
  readonly head?: string
  readonly writeHead?: string
  readonly json?: boolean
}

/** Whether the trail is as it was written. */
export function verifyCommand(): Command {
  return databaseCommand('verify', 'check that no entry was changed or taken out', [
    'audit verify --head heads.jsonl --write-head heads.jsonl --database mfa.sqlite',
    'audit verify --head service.log --database mfa.sqlite --json',
  ])
    .option('--head <file>', 'where chains stood before: what --write-head wrote, or the log of the service')
    .option('--write-head <file>', 'write where chains stand now, if all is well; keep it on another machine')
    .option('--json', 'as JSON')
    .addHelpText('after', exitCodes)
    .action(
      ending((settings: Settings) =>
        withContext(settings, async (ctx) => {
          const kept = settings.head === undefined ? [] : readHeads(settings.head)
          const verification = await verifyAudit(ctx.store.db, kept)
          show(verification, kept.length, settings)
          if (verification.findings.length > 0) process.exitCode = exitCode.failed
          else if (settings.writeHead !== undefined) writeHeads(settings.writeHead, verification.heads)
        }),
      ),
    )
}

const Head = z.object({ writer: z.string(), sequence: z.int().positive(), hash: z.string() })

/** Each line that names a head; others are whatever else the service logged. */
function readHeads(file: string): Head[] {
  const heads = read(file)
    .split('\n')
    .flatMap((line) => {
      const head = line.includes('"writer"') ? Head.safeParse(parse(line)) : undefined
      return head?.success ? [head.data] : []
    })
  if (heads.length > 0) return heads
  throw new Failure(`${quote(file)} names no head of the audit trail.`, exitCode.usage)
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new Failure(`${quote(file)} cannot be read. Check the path.`, exitCode.usage, { cause })
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // A line that was cut off.
    return undefined
  }
}

function writeHeads(file: string, heads: readonly Head[]): void {
  const lines = heads.filter(({ sequence }) => sequence > 0).map((head) => `${JSON.stringify(head)}\n`)
  try {
    writeFileSync(file, lines.join(''), { mode: 0o600 })
  } catch (cause) {
    throw new Failure(`${quote(file)} cannot be written. Check the path.`, exitCode.failed, { cause })
  }
}

function show({ entries, findings, heads }: Verification, kept: number, { json }: Settings): void {
  if (json) return printJson({ entries, findings, heads })
  const against = kept === 0 ? '' : `, checked against ${kept} kept`
  const chains = `${entries} entries in ${heads.length} chains${against}`
  if (findings.length === 0) return console.log(`All is as it was written: ${chains}.`)
  printTable(['Finding', 'Chain', 'Entry'], findings.map(cells), '')
  console.log(`Not as it was written: ${findings.length} findings in ${chains}.`)
}

const cells = ({ kind, writer, sequence }: Finding) => [words[kind], shortId(writer), String(sequence)]

const words: Record<Finding['kind'], string> = {
  changed: 'changed',
  missing: 'missing from',
  cut_off: 'cut off from',
}

const exitCodes = `
Exit codes:
  0  nothing was found
  1  entries were changed, are missing, or were cut off`
