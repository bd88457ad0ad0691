import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import { optionsTable, optionsTablePath } from '../../scripts/options-table.ts'
import { readOptions } from '../../scripts/read-options.ts'
import { root } from '../../scripts/run.ts'
import { ClientOptions } from '../../src/client/options.ts'
import { RequireApprovalSchema } from '../../src/express/require-approval.ts'
import { RequireMfaSchema } from '../../src/express/require-mfa.ts'
import { MfaOptionsSchema } from '../../src/express/options/options.ts'
import { MfaStrategyOptions } from '../../src/passport/options.ts'
import { EmbeddedOptions, ServiceOptions } from '../../src/service/options.ts'

/** As the declarations of the build say, which are read in half the time of the sources. */
const lists = readOptions('dist')
const named = lists.flatMap(({ caller, options }) => options.map((option) => ({ caller, ...option })))
const labelOf = ({ caller, name }: { caller: string; name: string }) => `${caller} ${name}`

const schemas: Readonly<Record<string, z.ZodType>> = {
  'mfa()': MfaOptionsSchema,
  'requireMfa()': RequireMfaSchema,
  'requireApproval()': RequireApprovalSchema,
  'new MfaStrategy()': MfaStrategyOptions,
  'embedded()': EmbeddedOptions,
  'createService()': ServiceOptions,
  'createClient()': ClientOptions,
}

/** What says how much a number is. */
const unit = /\b(milliseconds|seconds|minutes|days|the number of|port)\b/i

describe('each option of a public function', () => {
  it('each option of a public function has a description in the published declarations', () => {
    expect(named.length).toBeGreaterThan(100)
    expect(named.filter(({ text }) => !/^[A-Z`].*[.]$/s.test(text)).map(labelOf)).toEqual([])
  })

  it('each optional option documents its default', () => {
    const silent = named.filter((option) => !option.required && !option.group && option.default === '')

    expect(silent.map(labelOf)).toEqual([])
  })

  it('each numeric option documents its unit', () => {
    const bare = named.filter(({ types, text }) => types.includes('number') && !unit.test(text))

    expect(bare.map(labelOf)).toEqual([])
  })

  it('each option of a public function has the documented default', () => {
    const wrong = named.flatMap((option) => {
      const applied = defaultIn(schemas[option.caller], option.name.split('.'))
      return applied === undefined || option.default.startsWith(`\`${applied}\``)
        ? []
        : [`${labelOf(option)}: ${applied}, not ${option.default}`]
    })

    expect(wrong).toEqual([])
  })
})

it('docs/options.md is up to date: npm run docs', async () => {
  expect(await readFile(join(root, optionsTablePath), 'utf8')).toBe(optionsTable(lists))
})

/** As it is written in a comment; undefined where a schema has none that can be written so. */
function defaultIn(schema: z.ZodType | undefined, [name = '', ...rest]: readonly string[]): string | undefined {
  const member = objectIn(schema)?.shape[name]
  if (rest.length > 0) return defaultIn(member, rest)
  return member instanceof z.ZodDefault ? literal(member.def.defaultValue) : undefined
}

function objectIn(schema: z.core.$ZodType | undefined): z.ZodObject | undefined {
  if (schema instanceof z.ZodObject) return schema
  if (schema instanceof z.ZodUnion) return schema.options.map(objectIn).find((object) => object !== undefined)
  if (schema instanceof z.ZodPipe) return objectIn(schema.in)
  const isWrapper = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault
  return isWrapper ? objectIn(schema.unwrap()) : undefined
}

function literal(value: unknown): string | undefined {
  if (typeof value === 'string') return `'${value}'`
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return Array.isArray(value) && value.length < 4 ? `[${value.map(literal).join(', ')}]` : undefined
}
