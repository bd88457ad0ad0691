import type { Selectable } from 'kysely'

import { rememberedFor } from '../../../contract/idempotency-key.ts'
import { latestBeginning } from '../base/present.ts'
import type { Database } from '../database/schema/schema.ts'
import { change, changesRow, derived, firstValue, pick } from '../database/statement.ts'
import type { Slot, Slots } from '../database/statement.ts'

export type AnswerRow = Selectable<Database['rememberedAnswer']>

/** A later end was set by a clock that was ahead. */
const latestExpiry = (now: number): number => latestBeginning(now + rememberedFor)

/**
 * Claims the place of an answer, empty until the transaction ends. Another transaction that claims it waits here for the end of
 * this one.
 *
 * @returns false if it is taken.
 */
export const claimAnswer = changesRow('claimAnswer', (db, row: Slots<AnswerRow>, now: Slot<number>) =>
  db
    .insertInto('rememberedAnswer')
    .values(pick(row, ['id', 'apiKeyId', 'domainId', 'answer', 'expiresAt']))
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet(pick(row, ['answer', 'expiresAt']))
        .where((is) =>
          is.or([
            is('rememberedAnswer.expiresAt', '<=', now),
            is('rememberedAnswer.expiresAt', '>', derived(now, latestExpiry)),
          ]),
        ),
    ),
)

export const storeAnswer = change('storeAnswer', (db, { id, answer }: Slots<Pick<AnswerRow, 'id' | 'answer'>>) =>
  db.updateTable('rememberedAnswer').set({ answer }).where('id', '=', id),
)

export const removeAnswer = change('removeAnswer', (db, id: Slot<string>) =>
  db.deleteFrom('rememberedAnswer').where('id', '=', id),
)

/** The answer, sealed, while it is remembered and its domain exists. */
export const answerById = firstValue('answerById', (db, id: Slot<string>, now: Slot<number>) =>
  db
    .selectFrom('rememberedAnswer')
    .select('answer')
    .where('id', '=', id)
    .where('expiresAt', '>', now)
    .where('expiresAt', '<=', derived(now, latestExpiry))
    .where((is) =>
      is.or([
        is('domainId', 'is', null),
        is.exists(is.selectFrom('domain').select('domain.id').whereRef('domain.id', '=', 'rememberedAnswer.domainId')),
      ]),
    ),
)
