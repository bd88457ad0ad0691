import type { Domain } from '../../contract/domains.ts'
import { printRows } from '../device/print.ts'
import { printJson, yesOrNo } from './print.ts'

/** A domain and its rules. */
export function showDomain(domain: Domain, { json }: { readonly json?: boolean }): void {
  if (json) return printJson(domain)
  printRows([
    ['Name', domain.name],
    ['Id', domain.id],
    ['Type', domain.type],
    ['Key type', domain.keyType],
    ['Requests wait', `${domain.requestTimeout} seconds`],
    ['Activation codes', `${domain.activationCodeExpiration} days`],
    ['Wrong PINs', `${domain.maxAllowedRetries} until a token is revoked`],
    ['Bypass codes', yesOrNo(domain.bypassEnabled)],
    ['E-mailed codes', yesOrNo(domain.emailOtpEnabled)],
    ['Request polling', yesOrNo(domain.requestPollingEnabled)],
    ['Number matching', domain.numberMatching ?? 'off'],
  ])
}
