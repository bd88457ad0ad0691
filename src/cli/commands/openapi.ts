import { Command } from 'commander'

import { createOpenApi } from '../../service/openapi/document.ts'
import { servedInterface } from '../../service/ground/interface-words.ts'
import type { InterfaceWords } from '../../service/ground/interface-words.ts'
import { ending } from '../device/failure.ts'
import { interfaceOptions, interfaceWordsOf, usualWords } from '../service/interface-options.ts'

interface Settings extends Omit<InterfaceWords, 'basePath'> {
  readonly address: string
}

/** What the service also serves, for those who generate their client from it. */
export function openapiCommand(): Command {
  const command = new Command('openapi')
    .description('print the REST interface as an OpenAPI 3.1 document')
    .option('--address <url>', 'where the interface is, with its base path', '/api')
  const words = interfaceOptions((name) => usualWords[name])
  for (const option of words.filter(({ long }) => long !== '--base-path')) command.addOption(option)
  return command.addHelpText('after', examples).action(ending(async (settings: Settings) => openapi(settings)))
}

function openapi({ address, ...settings }: Settings): void {
  const { vendor } = servedInterface(interfaceWordsOf(settings), {})
  console.log(JSON.stringify(createOpenApi({ vendor, address }), undefined, 2))
}

const examples = `
Examples:
  $ second-factor openapi > openapi.json
  $ second-factor openapi --address https://mfa.example/api --scheme Acme --media-type acme`
