// Life of the language client: start, queued restarts, crash limit.
import * as vscode from "vscode";
import { LanguageClient, RevealOutputChannelOn, State, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";
import { resolveServer, type ServerCommand } from "./interpreter";
import type { Channels } from "./log";
import { SingleQueue } from "./queue";
import type { Status } from "./status";

export const IR_SCHEME = "pypto-ir";

export class Client {
  private client: LanguageClient | undefined;
  private current: ServerCommand | undefined;
  private readonly queue = new SingleQueue();
  private readonly startedEmitter = new vscode.EventEmitter<LanguageClient>();
  /** Fires after every successful start. */
  readonly onStarted = this.startedEmitter.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly channels: Channels,
    private readonly status: Status,
  ) {
    context.subscriptions.push(this.startedEmitter);
  }

  get running(): LanguageClient | undefined {
    return this.client?.state === State.Running ? this.client : undefined;
  }

  /** Starts, or restarts; with `onlyIfChanged` a server that resolves to the same command keeps running. */
  restart(onlyIfChanged = false): Promise<void> {
    return this.queue.request(() => this.doRestart(onlyIfChanged));
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client && client.state !== State.Stopped) await client.stop(3000).catch(() => undefined);
  }

  private async doRestart(onlyIfChanged: boolean): Promise<void> {
    const log = this.channels.client;
    if (!this.client) this.status.busy("PyPTO: starting");
    const server = await resolveServer(this.context, log);
    if (!server) {
      await this.stop();
      this.status.error("PyPTO: no server", 'Install it in the selected environment: pip install pypto-lsp');
      log.error("No pypto-lsp was found in the selected environment, in a virtual environment of the workspace, on PATH, or bundled");
      const select = "Select Interpreter";
      void vscode.window.showWarningMessage('PyPTO: no language server found. Install it with "pip install pypto-lsp", or select the interpreter that has it.', select).then((choice) => {
        if (choice === select) void vscode.commands.executeCommand("python.setInterpreter");
      });
      return;
    }
    if (onlyIfChanged && this.running && JSON.stringify(server) === JSON.stringify(this.current)) return;
    this.status.busy("PyPTO: starting");
    await this.stop();
    this.current = server;
    log.info(`Starting ${server.command} ${server.args.join(" ")} - from ${server.origin}`);
    const client = this.create(server);
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      this.status.error("PyPTO: server did not start", String(error));
      log.error(`The server did not start: ${String(error)}`);
      return;
    }
    const version = client.initializeResult?.serverInfo?.version ?? server.version ?? "";
    this.status.ready(version, server.origin);
    this.startedEmitter.fire(client);
  }

  private create(server: ServerCommand): LanguageClient {
    const executable = { command: server.command, args: server.args, options: { env: server.env ?? process.env } };
    const serverOptions: ServerOptions = { run: executable, debug: executable };
    const options: LanguageClientOptions = {
      documentSelector: [
        { scheme: "file", language: "python" },
        { scheme: "untitled", language: "python" },
        { scheme: IR_SCHEME, language: "pypto-ir" },
      ],
      outputChannel: this.channels.server,
      traceOutputChannel: this.channels.server,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: { clientCommands: true, settings: vscode.workspace.getConfiguration("pypto") },
      synchronize: { configurationSection: "pypto" },
      connectionOptions: { maxRestartCount: 5 },
    };
    const client = new LanguageClient("pypto", "PyPTO Language Server", serverOptions, options);
    client.onDidChangeState(({ newState }) => {
      if (client !== this.client) return;
      if (newState === State.Stopped) this.status.warning("PyPTO: server stopped", "Restart it with PyPTO: Restart Server");
      else if (newState === State.Running) this.status.ready(client.initializeResult?.serverInfo?.version ?? "", server.origin);
    });
    return client;
  }
}
