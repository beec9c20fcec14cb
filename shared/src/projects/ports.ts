import type { Project } from './project.ts';

/** What it takes to create a project. */
export interface NewProject {
  readonly project: Project;
  /** Its first key; a well-formed one. */
  readonly key: string;
}

/** Projects and their keys. */
export interface ProjectRepository {
  /** Stores a project with its key. @throws {DuplicateKey} when the key belongs to a project already */
  create(created: NewProject): Promise<void>;
  /** The project that a key belongs to, whatever its status; null for an unknown key. */
  findByKey(key: string): Promise<Project | null>;
  /** The demo project with its key, null where there is none yet. */
  findDemo(): Promise<NewProject | null>;
}

/** The key is taken. */
export class DuplicateKey extends Error {
  override readonly name = 'DuplicateKey';

  constructor() {
    super('the key belongs to a project already');
  }
}
