import { basename, dirname } from 'node:path'
import ts from 'typescript'
import { findCycles } from './cycles.ts'
import { ambiguousConstants, functionNamesakes } from './names.ts'
import { placeOf, type SourceFile, visit } from './source-files.ts'
import { findWordLists, ownUnions, type WordList } from './word-lists.ts'

/** Where the words of audited applications belong. */
const LEXICON = 'src/lexicon/'
const CHECKS = 'src/checks/'
const MAX_FILES = 25
const MAX_LINES = 60
const MAX_PARAMETERS = 4

/** One figure, and what it consists of: shown with --list. */
export interface Figure {
  readonly value: number
  readonly items: readonly string[]
}

/** Words that decide what is counted; from `structure.json`. */
export interface CountedWords {
  /** Whole words that no file name may hold. */
  readonly riddles: readonly string[]
  /** Words for columns, tables, roles, states and routes of audited applications: a list with two of them speaks of those. */
  readonly vocabulary: readonly string[]
}

/** All figures by name, in the order in which they are shown. */
export function measure(files: readonly SourceFile[], words: CountedWords): Record<string, Figure> {
  const folders = [...Map.groupBy(files, (f) => dirname(f.path))].map(([folder, inside]) => ({ folder, count: inside.length }))
  const large = folders.filter((f) => f.count > MAX_FILES).sort((a, b) => b.count - a.count)
  const cycles = findCycles(new Map(files.map((f) => [f.path, f.imports])))
  const functions = files.filter((f) => f.path.startsWith(CHECKS)).flatMap(functionsOf)
  const ownValues = files.flatMap(ownUnions)
  const lists = files.filter((f) => !f.path.startsWith(LEXICON)).flatMap((f) => findWordLists(f, ownValues))
  return {
    'files in the largest folder': { value: Math.max(...folders.map((f) => f.count)), items: large.slice(0, 1).map((f) => f.folder) },
    'folders with more than 25 files': figure(large.map((f) => `${f.folder} ${f.count}`)),
    'files in import cycles, types included': figure(cycles.flatMap((c, i) => c.map((path) => `${i + 1} ${path}`))),
    'exported functions with a namesake': figure(shownNames(functionNamesakes(files))),
    'constants of one name with two meanings': figure(shownNames(ambiguousConstants(files))),
    'file names with riddles': figure(pathsWithRiddles(files, words)),
    'functions over 60 lines in checks': figure(functions.filter((f) => f.lines > MAX_LINES).map((f) => `${f.at} ${f.lines}`)),
    'functions over 4 parameters in checks': figure(functions.filter((f) => f.parameters > MAX_PARAMETERS).map((f) => `${f.at} ${f.parameters}`)),
    'vocabulary lists outside the lexicon': figure(
      vocabularyLists(lists, new Set(words.vocabulary)).map((l) => `${l.at} ${l.form} ${l.words.slice(0, 6).join(' ')}`),
    ),
    'word lists outside the lexicon': figure(lists.map((l) => `${l.at} ${l.form} ${l.words.slice(0, 6).join(' ')}`)),
  }
}

function figure(items: readonly string[]): Figure {
  return { value: items.length, items }
}

function shownNames(names: ReadonlyMap<string, readonly string[]>): string[] {
  return [...names].map(([name, paths]) => `${name}: ${paths.join(', ')}`).sort()
}

/** Files whose names hold one of the riddles as a whole word. */
export function pathsWithRiddles(files: readonly Pick<SourceFile, 'path'>[], words: Pick<CountedWords, 'riddles'>): string[] {
  const riddles = new Set(words.riddles)
  const partsOf = (path: string) => basename(path, '.ts').split('-')
  return files.map((f) => f.path).filter((path) => partsOf(path).some((word) => riddles.has(word)))
}

function vocabularyLists(lists: readonly WordList[], vocabulary: ReadonlySet<string>): WordList[] {
  const isKnown = (word: string) => vocabulary.has(word) || vocabulary.has(word.replace(/(?:es|s)$/, '')) || vocabulary.has(word.replace(/s$/, ''))
  return lists.filter((l) => new Set(l.words.filter(isKnown)).size >= 2)
}

function functionsOf(file: SourceFile): { at: string; lines: number; parameters: number }[] {
  const found: { at: string; lines: number; parameters: number }[] = []
  const line = (position: number) => file.tree.getLineAndCharacterOfPosition(position).line
  visit(file.tree, (node) => {
    if (!ts.isFunctionLike(node) || !('body' in node) || !node.body) return
    found.push({ at: placeOf(file, node), lines: line(node.getEnd()) - line(node.getStart()) + 1, parameters: node.parameters.length })
  })
  return found
}
