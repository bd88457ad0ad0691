import { readFileSync, writeFileSync } from 'node:fs'

import type { Command } from 'commander'
import { z } from 'zod'

import { parseJson } from '../../contract/validate.ts'
import { verifyAudit } from '../../service/engine/audit/read.ts'
import type { Finding, Head, Verification } from '../../service/engine/audit/verify-chains.ts'
import { databaseCommand } from '../admin/command.ts'
import { databaseAction } from '../database/open.ts'
import { exitCode, Failure } from '../terminal/failure.ts'
import { counted, printJson, printTable, quote, shortId } from '../terminal/print.ts'

interface Settings {
  readonly database: string
  readonly head?: string
  readonly writeHead?: string
  readonly json?: boolean
}

/** `second-factor audit verify`. */
export function verifyCommand(): Command {
  return databaseCommand('verify', 'verify that no entry was changed or removed', [
    'audit verify --head heads.jsonl --write-head heads.jsonl',
    'audit verify --head service.log --json',
  ])
    .option('--head <file>', 'compare with earlier chain heads: a file from --write-head, or the log of the service')
    .option(
      '--write-head <file>',
      'if verification succeeds, write the current chain heads; keep the file on another machine',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', exitCodes)
    .action(
      databaseAction(async (ctx, settings: Settings) => {
        const savedHeads = settings.head === undefined ? [] : readHeads(settings.head)
        const verification = await verifyAudit(ctx.store.db, savedHeads)
        show(verification, savedHeads.length, settings)
        if (verification.findings.length > 0) process.exitCode = exitCode.failed
        else if (settings.writeHead !== undefined) writeHeads(settings.writeHead, verification.heads)
      }),
    )
}

const Head = z.object({ writer: z.string(), sequence: z.int().positive(), hash: z.string() })

/** Lines that contain a head. All other lines of a log are ignored. */
function readHeads(file: string): Head[] {
  const heads = read(file)
    .split('\n')
    .flatMap((line) => {
      const head = line.includes('"writer"') ? Head.safeParse(parseJson(line)) : undefined
      return head?.success ? [head.data] : []
    })
  if (heads.length > 0) return heads
  throw new Failure(`${quote(file)} contains no head of the audit trail.`, exitCode.usage)
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new Failure(`Can't read ${quote(file)}. Check the path.`, exitCode.usage, { cause })
  }
}

function writeHeads(file: string, heads: readonly Head[]): void {
  const lines = heads.filter(({ sequence }) => sequence > 0).map((head) => `${JSON.stringify(head)}\n`)
  try {
    writeFileSync(file, lines.join(''), { mode: 0o600 })
  } catch (cause) {
    throw new Failure(`Can't write ${quote(file)}. Check the path.`, exitCode.failed, { cause })
  }
}

function show({ entries, findings, heads }: Verification, savedCount: number, { json }: Settings): void {
  if (json) return printJson({ entries, findings, heads })
  const against = savedCount === 0 ? '' : `, compared with ${counted(savedCount, 'earlier head')}`
  const checked = `${entries} entries in ${counted(heads.length, 'chain')}${against}`
  if (findings.length === 0) return console.log(`The audit trail is intact: ${checked}.`)
  printTable(['Finding', 'Chain', 'Entry'], findings.map(cells), '')
  console.log(`The audit trail was altered: ${counted(findings.length, 'finding')} in ${checked}.`)
}

const cells = ({ kind, writer, sequence }: Finding) => [labels[kind], shortId(writer), String(sequence)]

const labels: Record<Finding['kind'], string> = {
  changed: 'changed',
  missing: 'missing from',
  cut_off: 'cut off from',
}

const exitCodes = `
Exit codes:
  0  the audit trail is intact
  1  entries were changed or are missing`
