import { Option } from 'commander'

/** Options of `domain create`, `domain set` and `init`. */
export const domainTypeOption = (): Option =>
  new Option('--type <type>', 'how people sign in').choices(['RADIUS', 'WEB', 'PAM', 'OTHER'])

export const phishingResistantOption = (): Option =>
  new Option(
    '--phishing-resistant <when>',
    'accept only passkeys: prefer, from people who have one; require, from everyone; not for RADIUS and PAM',
  ).choices(['off', 'prefer', 'require'])
