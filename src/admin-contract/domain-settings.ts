import { z } from 'zod'

import { mapSwitches, NumberMatching, switchDefaults } from '../contract/domains.ts'
import { PhishingResistance } from '../contract/phishing-resistance.ts'
import { Title } from '../contract/title.ts'

/** The longest time a request can wait for its user, seconds (OWASP ASVS 5.0 6.5.5). */
export const maxRequestTimeout = 600

const rules = {
  name: Title,
  type: z.enum(['RADIUS', 'WEB', 'PAM', 'OTHER']),
  keyType: z.enum(['NONE', 'PIN', 'PASSCODE']),
  requestTimeout: z.int().min(10).max(maxRequestTimeout),
  activationCodeExpiration: z.int().min(1).max(365),
  maxAllowedRetries: z.int().min(1).max(20),
  ...mapSwitches(() => z.boolean()),
  numberMatching: NumberMatching,
  phishingResistant: PhishingResistance,
}

export const NewDomain = z.strictObject({
  name: rules.name,
  type: rules.type.default('WEB'),
  keyType: rules.keyType.default('NONE'),
  requestTimeout: rules.requestTimeout.default(90),
  activationCodeExpiration: rules.activationCodeExpiration.default(7),
  maxAllowedRetries: rules.maxAllowedRetries.default(5),
  ...mapSwitches((name) => rules[name].default(switchDefaults[name])),
  numberMatching: rules.numberMatching.default('offered'),
  phishingResistant: rules.phishingResistant.default('off'),
})

export const DomainChanges = z.strictObject(rules).partial()
