import { Command } from 'commander'

import { createConsoleOpenApi, createOpenApi } from '../../service/engine/openapi/document.ts'
import { servedInterface } from '../../service/engine/base/interface-words.ts'
import type { InterfaceWords } from '../../service/engine/base/interface-words.ts'
import { withErrorHandling } from '../terminal/failure.ts'
import { interfaceOptions, interfaceWordsOf, defaultWords } from '../serve/interface-options.ts'
import { examplesHelp } from '../admin/command.ts'

interface Settings extends Omit<InterfaceWords, 'basePath'> {
  readonly address: string
  readonly console: boolean
}

/** `second-factor openapi`. The service serves the same document. */
export function openapiCommand(): Command {
  const command = new Command('openapi')
    .description('print the REST interface as an OpenAPI 3.1 document')
    .option('--address <url>', 'address of the interface, including its base path', '/api')
    .option('--console', 'print the interface of the console for administrators', false)
  const words = interfaceOptions((name) => defaultWords[name])
  for (const option of words.filter(({ long }) => long !== '--base-path')) command.addOption(option)
  return command
    .addHelpText('after', examplesHelp(examples))
    .action(withErrorHandling(async (settings: Settings) => openapi(settings)))
}

function openapi({ address, console: ofConsole, ...settings }: Settings): void {
  const { vendor } = servedInterface(interfaceWordsOf(settings), {})
  const create = ofConsole ? createConsoleOpenApi : createOpenApi
  console.log(JSON.stringify(create({ vendor, address }), undefined, 2))
}

const examples = ['openapi > openapi.json', 'openapi --address https://mfa.example/api --scheme Acme --media-type acme']
