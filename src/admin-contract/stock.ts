import { z } from 'zod'

import { endpoint } from '../contract/endpoint.ts'
import { HardwareToken } from '../contract/hardware.ts'
import { Id } from '../contract/text.ts'
import { Reasoned } from './because.ts'
import { From, listed } from './lists.ts'
import { Person } from './people.ts'
import { maxSearch } from './query-shapes.ts'
import { maxListedRejections, stockFileLimit } from './stock-limits.ts'

/** How many hardware tokens a page has. */
export const stockPage = 50

export const StockFilter = z.enum(['free', 'assigned', 'out_of_sync'])
export type StockFilter = z.infer<typeof StockFilter>

/** A hardware token in the stock. Authenticator apps that people set up are not part of it. */
export const StockToken = HardwareToken.omit({ user: true, selfEnrolled: true })
  .required({ algorithm: true, digits: true })
  .extend({
    /** Absent: it is free. */
    person: z.object({ id: Id, username: z.string(), name: z.string() }).optional(),
  })
export type StockToken = z.infer<typeof StockToken>

export const listStock = endpoint({
  method: 'GET',
  path: '/admin/stock',
  summary:
    'Lists hardware tokens, oldest first, 50 a page, or finds them by a part of the serial number, or by the person who has one. Administrators of some domains see the tokens of their people and free ones; the help desk sees a free one only by 4 characters of its serial number.',
  query: z.object({
    q: z.string().max(maxSearch).optional(),
    filter: StockFilter.optional(),
    from: From,
  }),
  response: z.object({
    tokens: z.array(StockToken),
    ...listed,
    /** Whether the administrator may import and delete: it manages every domain, because the stock belongs to all. */
    changeable: z.boolean(),
  }),
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain' },
  errors: ['api.error.invalid.q', 'api.error.invalid.filter'],
})

/** Why a row of an import file is rejected. */
export const RejectionCode = z.enum([
  /** Fields or quotes of CSV. */
  'row',
  /** Yubico OTP, which is another method than OATH. */
  'yubico',
  /** Another algorithm or hash, or codes that are not plain digits. */
  'unsupported',
  'no_secret',
  /** A secret that is damaged, or that the key does not open. */
  'secret',
  'serial',
  'seed',
  'type',
  'step',
  'alias',
  /** The file contains the serial number twice. */
  'repeated',
  /** The organization already has the serial number. */
  'present',
])
export type RejectionCode = z.infer<typeof RejectionCode>

/** How many tokens of a file are shown before they are stored. */
export const previewedTokens = 5

export const StockReport = z.object({
  /** 0 in a dry run. */
  imported: z.int(),
  acceptable: z.int(),
  /** How many rows are rejected. */
  rejectedRows: z.int(),
  /** How many of them are rejected because their serial number is there already. */
  presentRows: z.int(),
  /** The names of columns that were ignored, in quotes. */
  ignored: z.array(z.string()).optional(),
  /** The first of the acceptable tokens, as they will be. */
  preview: z
    .array(StockToken.pick({ serialNumber: true, algorithm: true, digits: true, period: true, counter: true }))
    .max(previewedTokens),
  /** The first rejected rows. Those that are only there already come after the others. */
  rejected: z
    .array(
      z.object({
        /** The line at which the row begins. */
        line: z.int(),
        code: RejectionCode,
        /** The problem in English. It never quotes the row, which may hold a secret. */
        reason: z.string(),
      }),
    )
    .max(maxListedRejections),
})
export type StockReport = z.infer<typeof StockReport>

const flag = z.enum(['true', 'false'])

export const importStock = endpoint({
  method: 'POST',
  path: '/admin/stock/import',
  summary:
    'Imports hardware tokens from a file, all of them or none: CSV with the columns serial, seed (hexadecimal) or base32, digits, step and algorithm, or PSKC (RFC 6030), which needs the package sax. A dry run checks every row and stores nothing. At most one import at a time for each administrator.',
  query: Reasoned.extend({
    dryRun: flag,
    /** Imports the valid rows even if others are rejected. */
    skipRejected: flag.optional(),
    /** How a column of seeds is written that is named `secret`. */
    encoding: z.enum(['hex', 'base32']).optional(),
  }),
  headers: z.object({
    /** The password of an encrypted PSKC file, percent-encoded (RFC 3986 section 2.1). */
    password: z
      .string()
      .max(1024)
      .regex(/^[\x21-\x7e]*$/, 'must be percent-encoded')
      .optional(),
    /** The pre-shared key of an encrypted PSKC file: 32 or 64 hexadecimal digits. */
    key: z
      .string()
      .regex(/^([0-9a-fA-F]{32}|[0-9a-fA-F]{64})$/, 'must be 32 or 64 hexadecimal digits')
      .optional(),
  }),
  file: {
    media: ['text/csv', 'application/pskc+xml', 'application/xml', 'text/xml'],
    limit: stockFileLimit,
  },
  response: StockReport,
  since: '1.4',
  admin: { role: 'admin', scope: 'organization', fresh: true, everywhere: true },
  errors: [
    'api.error.invalid.because',
    'api.error.invalid.file',
    'api.error.invalid.encoding',
    'api.error.conflict.state',
    'api.error.unavailable.pskc',
  ],
})

export const deleteStockToken = endpoint({
  method: 'POST',
  path: '/admin/stock/:hardwareTokenId/delete',
  summary: 'Deletes a hardware token that belongs to no one.',
  body: Reasoned,
  since: '1.4',
  admin: { role: 'admin', scope: 'organization', fresh: true, everywhere: true },
  errors: ['api.error.conflict.hardware'],
})

/** A code of a hardware token. */
export const ShownCode = z.string().regex(/^\d{6,8}$/, 'must be the code that is shown')

export const resynchronizePersonHardware = endpoint({
  method: 'POST',
  path: '/admin/people/:userId/hardware/resynchronize',
  summary:
    'Synchronizes the hardware token by two codes that follow each other: of a time-based one at most 10 steps off what is known of it, of a counter-based one (HOTP) at most 1,000 codes ahead.',
  body: Reasoned.extend({ first: ShownCode, second: ShownCode }),
  response: Person,
  since: '1.4',
  admin: {
    role: 'helpdesk',
    scope: 'domain',
    fresh: true,
    guarded: true,
    everywhere: true,
    secrets: ['first', 'second'],
  },
  errors: ['api.error.notfound.hardware', 'api.error.invalid.otp'],
})
