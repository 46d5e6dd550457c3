p $LOADED_FEATURES.map { |it| File.basename(it) }, $LOAD_PATH, defined?(JSON), defined?(Set), defined?(Socket), defined?(Gem)
