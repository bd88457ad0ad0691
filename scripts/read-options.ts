import { join } from 'node:path'

// The newest TypeScript has no JavaScript API.
import ts from 'typescript59'

import { root } from './run.ts'

/** An option with its documentation. */
export interface Option {
  /** The full name, such as `devices.maxAge`. */
  readonly name: string
  /** Types as written: `string`, `'auto'`, `function`, `object` and so on. */
  readonly types: readonly string[]
  readonly required: boolean
  /** The comment, on one line. */
  readonly text: string
  /** The tag `@default`. */
  readonly default: string
  /** Whether it has options of its own. */
  readonly group: boolean
}

/** The options of one function. */
export interface OptionList {
  /** The function call, such as `mfa()`. */
  readonly caller: string
  /** The module that exports it. */
  readonly module: string
  readonly options: readonly Option[]
}

/** The functions whose options are documented. */
const callers = [
  ['mfa()', 'second-factor', 'index'],
  ['requireMfa()', 'second-factor', 'index'],
  ['requireApproval()', 'second-factor', 'index'],
  ['new MfaStrategy()', 'second-factor/passport', 'passport/index'],
  ['embedded()', 'second-factor/service', 'service/index'],
  ['createService()', 'second-factor/service', 'service/index'],
  ['createClient()', 'second-factor/client', 'client/index'],
  ['oidc()', 'second-factor/oidc', 'oidc/index'],
] as const

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  lib: ['lib.es2024.d.ts', 'lib.dom.d.ts'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  noEmit: true,
}

/** Parses each file once. The sources and the declarations share those of TypeScript and of other packages. */
const host = ts.createCompilerHost(compilerOptions)
const parsed = new Map<string, ts.SourceFile | undefined>()
const parsingHost: ts.CompilerHost = {
  ...host,
  getSourceFile(name, ...more) {
    if (!parsed.has(name)) parsed.set(name, host.getSourceFile(name, ...more))
    return parsed.get(name)
  },
}

/** @param from Reads the sources or the published declarations. */
export function readOptions(from: 'src' | 'dist'): OptionList[] {
  const extension = from === 'src' ? '.ts' : '.d.ts'
  const fileOf = (entry: string) => join(root, from, entry + extension)
  const program = ts.createProgram(
    [...new Set(callers.map(([, , entry]) => fileOf(entry)))],
    compilerOptions,
    parsingHost,
  )
  const checker = program.getTypeChecker()
  return callers.map(([caller, module, entry]) => {
    const name = caller.replace(/^new |\(\)$/g, '')
    const file = program.getSourceFile(fileOf(entry))
    const [exported] = (file ? exportsOf(checker, file) : []).filter((symbol) => symbol.name === name)
    if (!exported) throw new Error(`${from}/${entry} does not export ${name}`)
    return { caller, module, options: membersOf(checker, optionsParameter(checker, exported), '') }
  })
}

function exportsOf(checker: ts.TypeChecker, file: ts.SourceFile): ts.Symbol[] {
  const module = checker.getSymbolAtLocation(file)
  return module ? checker.getExportsOfModule(module) : []
}

function optionsParameter(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Type {
  const type = checker.getTypeOfSymbol(symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)
  const [signature] = [...type.getCallSignatures(), ...type.getConstructSignatures()]
  const parameters = signature?.getParameters() ?? []
  const parameter = parameters.find(({ name }) => name === 'options') ?? parameters[0]
  if (!parameter) throw new Error(`${symbol.name} takes no options`)
  return checker.getNonNullableType(checker.getTypeOfSymbol(parameter))
}

function membersOf(checker: ts.TypeChecker, type: ts.Type, prefix: string): Option[] {
  return type.getProperties().flatMap((property) => {
    const ownOptions = groupsIn(checker.getTypeOfSymbol(property)).flatMap((group) =>
      membersOf(checker, group, `${prefix}${property.name}.`),
    )
    const tag = property.getJsDocTags(checker).find(({ name }) => name === 'default')
    const option = {
      name: prefix + property.name,
      types: typesOf(checker, property),
      required: (property.flags & ts.SymbolFlags.Optional) === 0,
      text: oneLine(property.getDocumentationComment(checker)),
      default: oneLine(tag?.text),
      group: ownOptions.length > 0,
    }
    return [option, ...ownOptions]
  })
}

/** The types of an option that are themselves interfaces of options. */
function groupsIn(type: ts.Type): ts.Type[] {
  const members = type.isUnion() ? type.types : [type]
  return members.filter((member) => /(Options|^RemoteService)$/.test(member.symbol?.name ?? ''))
}

/** The types of an option, without the `undefined` that every option accepts. */
function typesOf(checker: ts.TypeChecker, property: ts.Symbol): string[] {
  const [declaration] = property.declarations ?? []
  if (!declaration || !ts.isPropertySignature(declaration) || !declaration.type) return []
  const { type } = declaration
  const members = ts.isUnionTypeNode(type) ? [...type.types] : [type]
  const words = members.map((member) => wordOf(member, checker.getTypeFromTypeNode(member)))
  return [...new Set(words)].filter((word) => word !== 'undefined')
}

function wordOf(node: ts.TypeNode, type: ts.Type): string {
  if (type.getCallSignatures().length > 0) return 'function'
  return ts.isTypeLiteralNode(node) || groupsIn(type).length > 0 ? 'object' : node.getText()
}

const oneLine = (parts: ts.SymbolDisplayPart[] | undefined): string =>
  ts.displayPartsToString(parts).replaceAll(/\s+/g, ' ').trim()
