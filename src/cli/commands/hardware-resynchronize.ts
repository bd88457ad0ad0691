import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'

import { ShownCode } from '../../admin-contract/stock.ts'
import { resynchronizeHardware } from '../../service/features/hardware/stock.ts'
import { ApiProblem } from '../../service/engine/base/problem.ts'
import { adminCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { findUser } from '../admin/find.ts'
import { serviceAction } from '../admin/local-service.ts'
import { Failure } from '../terminal/failure.ts'
import { printDone, quote } from '../terminal/print.ts'

/** `second-factor hardware resynchronize`. */
export function resynchronizeCommand(): Command {
  return adminCommand('resynchronize', 'synchronize a hardware token by two codes that follow each other', [
    'hardware resynchronize alice 287082 359152',
    'hardware resynchronize alice 287082 359152 --json',
  ])
    .argument('<user>', 'username or id of its user')
    .argument('<code>', 'the code that the token shows', shownCode)
    .argument('<next-code>', 'the code that it shows next', shownCode)
    .action(
      serviceAction(async (service, username: string, first: string, second: string, settings: AdminSettings) => {
        const user = await findUser(service, username)
        try {
          await resynchronizeHardware(service.caller, { userId: user.id, codes: [first, second] })
        } catch (error) {
          throw withAdvice(error, quote(user.username))
        }
        printDone(settings, { user: user.id }, `Synchronized the hardware token of ${quote(user.username)}.`)
      }),
    )
}

function shownCode(text: string): string {
  if (ShownCode.safeParse(text).success) return text
  throw new InvalidArgumentError('Expected the 6 to 8 digits that the token shows.')
}

function withAdvice(error: unknown, name: string): unknown {
  if (!(error instanceof ApiProblem)) return error
  if (error.code === 'api.error.notfound.hardware')
    return new Failure(`${name} has no hardware token. Assign one: second-factor hardware assign`)
  if (error.code === 'api.error.invalid.otp')
    return new Failure(
      `The codes do not follow each other on the token of ${name}, or are more than 10 steps off (1,000 codes for HOTP). Read two new codes, one right after the other.`,
    )
  return error
}
